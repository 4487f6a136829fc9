package main

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
)

// logs writes the server's lines as the "log" section says, which is known only
// when the file has been read and may change with it. Until then it writes text
// of level info.
type logs struct {
	text, json slog.Handler
	shared     *logSettings // with what was derived by WithAttrs and WithGroup
}

type logSettings struct {
	level slog.LevelVar
	json  atomic.Bool
}

func newLogs(w io.Writer) *logs {
	l := &logs{shared: &logSettings{}}
	opts := &slog.HandlerOptions{Level: &l.shared.level}
	machine := &slog.HandlerOptions{Level: &l.shared.level, ReplaceAttr: inMilliseconds}
	l.text, l.json = slog.NewTextHandler(w, opts), slog.NewJSONHandler(w, machine)
	return l
}

// inMilliseconds writes times that something took as the record of calls does:
// the bare nanoseconds of the library say nothing of their unit.
func inMilliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
}

// use makes the lines to come look as the section says.
func (l *logs) use(c config.Log) {
	l.shared.level.Set(logLevel(c.Level))
	l.shared.json.Store(c.Format == "json")
}

// logLevel is the level of a name that the configuration takes.
func logLevel(name string) slog.Level {
	switch name {
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}

func (l *logs) current() slog.Handler {
	if l.shared.json.Load() {
		return l.json
	}
	return l.text
}

// Enabled reports whether lines of the level are written now.
func (l *logs) Enabled(ctx context.Context, level slog.Level) bool {
	return l.current().Enabled(ctx, level)
}

// Handle writes one line.
func (l *logs) Handle(ctx context.Context, r slog.Record) error { return l.current().Handle(ctx, r) }

// WithAttrs gives a handler that adds the attributes to every line.
func (l *logs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logs{l.text.WithAttrs(attrs), l.json.WithAttrs(attrs), l.shared}
}

// WithGroup gives a handler that puts what follows into a group.
func (l *logs) WithGroup(name string) slog.Handler {
	return &logs{l.text.WithGroup(name), l.json.WithGroup(name), l.shared}
}

// warn writes what is doubtful in a configuration.
func warn(logger *slog.Logger, warnings diag.Problems) {
	for _, p := range warnings {
		logger.Warn("configuration", "problem", p.String())
	}
}
