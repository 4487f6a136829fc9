package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// local is the store of a configuration, whether a gateway runs on it or not: that
// one notices within 250 ms what is answered here.
type local struct {
	config  *config.Config
	gateway *gateway.Gateway // nil where there is no store yet
	closers []func() error
}

// openLocal opens the store of a configuration. Where there is none nothing is made,
// and nothing waits. What is answered is decided about again, so the rules are
// needed; secrets are needed to mask them, and only as far as they can be read.
func openLocal(ctx context.Context, io streams, opts config.Options, answers bool) (*local, error) {
	cfg, a, _, err := load(opts, assembly.Declared)
	if err != nil {
		return nil, err
	}
	l := &local{config: cfg, closers: []func() error{a.Close}}
	file := cfg.Store.File()
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		_, _ = fmt.Fprintf(io.err, "there is no store %s yet, so no call has asked for a person; is it the configuration of the gateway that runs? (--config, or --server URL)\n", file)
		return l, nil
	}
	s, err := store.Open(ctx, file, store.Options{ReadOnly: !answers})
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.closers = append(l.closers, s.Close)
	l.maskAsFarAsPossible(io, cfg, a)
	l.open(ctx, cfg, a, s)
	return l, nil
}

func (l *local) open(ctx context.Context, cfg *config.Config, a *assembly.Assembly, s *store.Store) {
	desk := approval.Open(ctx, s, approval.Options{})
	chats := chat.Open(ctx, s, chat.Options{Limits: cfg.Chats, Logger: slog.New(slog.DiscardHandler)})
	l.gateway = gateway.New(a.Generation, noRecord{}, gateway.Options{Approvals: desk, Chats: chats})
	l.closers = append(l.closers, chats.Close, desk.Close, func() error { return host.End(l.gateway) })
}

// maskAsFarAsPossible takes the secrets that can be read here out of what is shown,
// and says which are not.
func (l *local) maskAsFarAsPossible(io streams, cfg *config.Config, a *assembly.Assembly) {
	var unread []string
	for _, name := range slices.Sorted(maps.Keys(cfg.Secrets)) {
		value, err := cfg.Secrets[name].Resolve()
		if err != nil {
			unread = append(unread, name)
			continue
		}
		a.Generation.Masker.Know(value)
	}
	if len(unread) > 0 {
		_, _ = fmt.Fprintf(io.err, "secrets that cannot be read here, and are not masked in arguments: %s\n", strings.Join(unread, ", "))
	}
}

func (l *local) list(ctx context.Context, q approval.Query) ([]approval.Shown, error) {
	if l.gateway == nil {
		return nil, nil
	}
	found, err := l.gateway.Approvals(ctx, q)
	now, list := time.Now(), make([]approval.Shown, len(found))
	for i := range found {
		list[i] = found[i].Show(now)
	}
	return list, err
}

func (l *local) get(ctx context.Context, id string) (approval.Shown, error) {
	if l.gateway == nil {
		return approval.Shown{}, approval.Refuse(approval.Unknown, "", "there is no approval %s", id)
	}
	a, err := l.gateway.Approval(ctx, id)
	return a.Show(time.Now()), err
}

func (l *local) answer(ctx context.Context, id string, r reply) (approval.Shown, error) {
	a, err := l.gateway.AnswerApproval(ctx, id, gateway.Reply{Approve: r.approve, Note: r.note, Remember: r.remember, By: cliApprover(), From: host.FromCLI})
	return a.Show(time.Now()), err
}

func (l *local) webhook(a *approval.Shown) bool { return toldOf(l.config, a) }

func (l *local) close() error {
	var errs []error
	for _, f := range slices.Backward(l.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// cliApprover is the user of this machine who runs this program. It is no caller of
// the gateway's: whoever may write its store may approve what is in it.
func cliApprover() tool.Caller {
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	if name == "" {
		name = "unknown"
	}
	return tool.Caller{ID: "cli:" + name, Name: name, Kind: tool.KindCLI, May: []tool.Right{tool.MayApprove}}
}

// noRecord is the record of a gateway that is asked for no call.
type noRecord struct{}

var errNoRecord = errors.New("no call is made here")

// Start refuses.
func (noRecord) Start(runlog.Record) error { return errNoRecord }

// End refuses.
func (noRecord) End(runlog.Record) error { return errNoRecord }
