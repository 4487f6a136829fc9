package host

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/reload"
	"github.com/toolgate/toolgate/gateway/secret"
)

// Reloads says who is told of reloads; the zero value works.
type Reloads struct {
	// Hangups makes a reload with every value; nil for none.
	Hangups <-chan os.Signal
	// Hide is told of the maskers of all generations that are open, before another
	// one is served and when one has ended.
	Hide func(...*secret.Masker)
	// Applied is told of every configuration without errors, before it is served.
	Applied func(*config.Config)
	// Still says that only who asks makes a reload: files are not watched, and what was
	// missing at the start is not looked for again.
	Still bool
}

// KeepLoaded gives the server a reloader, which reloads when files of the configuration
// change and when a hangup is told, until the context is over. The function it returns
// waits for the end of both, and closes the reloader.
func (s *Server) KeepLoaded(ctx context.Context, opts Reloads) (wait func()) {
	s.Reloader = reload.New(s.Gateway, s.Source, s.Version, reload.Options{
		Logger: s.logger, Hide: opts.Hide, ListChanged: s.MCP.ToolsChanged, Ended: s.reloaded,
		Apply: func(v *reload.Version) { s.apply(v, opts.Applied) },
	})
	s.Version = nil // a server that has reloaded needs no memory for what it served first
	ctx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	if !opts.Still {
		work.Go(func() { s.Reloader.Run(ctx) })
	}
	work.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-opts.Hangups:
				_, _ = s.Reloader.Reload(ctx, "signal") // what came of it is logged
			}
		}
	})
	return func() {
		stop()
		work.Wait()
		if err := s.Reloader.Close(); err != nil {
			s.logger.Warn("stopping", "problem", err)
		}
	}
}

// reloading is the reloader as the HTTP API asks for it; nil without one.
func (s *Server) reloading() httpapi.Reloader {
	if s.Reloader == nil {
		return nil
	}
	return reloading{s.Reloader}
}

type reloading struct{ *reload.Reloader }

// Reload reads the configuration again.
func (r reloading) Reload(ctx context.Context) (done any, warnings diag.Problems, err error) {
	res, err := r.Reloader.Reload(ctx, "request")
	if err != nil {
		return nil, nil, err
	}
	return res, res.Warnings, nil
}

// checkReloaded notes that what is on disk is not what is served. No load
// balancer is told to go elsewhere for that: all replicas read the same files.
func (s *Server) checkReloaded() error {
	if s.Reloader == nil {
		return nil
	}
	switch status := s.Reloader.Status(); {
	case status.Problems > 0:
		return fmt.Errorf("the configuration on disk has errors (%d), so the one before is served: see the log", status.Problems)
	case len(status.Absent) > 0:
		return fmt.Errorf("sources are left out, and tried again by and by: %s: see the log", strings.Join(slices.Sorted(maps.Keys(status.Absent)), ", "))
	case len(status.Restart) > 0:
		return fmt.Errorf("keys of the configuration take effect at the next start: %s", strings.Join(status.Restart, ", "))
	}
	return nil
}

// reloaded counts how a reload ended, and tells those who follow events of a
// change.
func (s *Server) reloaded(o reload.Outcome, res *reload.Result) {
	switch o {
	case reload.Swapped:
		if s.alone {
			runtime.GC() // now that little but what is served is left
			tuneCollector()
		}
		s.Metrics.Reloaded(metrics.ReloadOK)
		s.Feed.Say("reloaded", res)
	case reload.Unchanged:
		s.Metrics.Reloaded(metrics.ReloadUnchanged)
	case reload.Failed:
		s.Metrics.Reloaded(metrics.ReloadFailed)
		s.Feed.Say("reload_failed", map[string]int{"problems": s.Reloader.Status().Problems})
	}
}

// apply makes what no generation holds follow the configuration.
func (s *Server) apply(v *reload.Version, applied func(*config.Config)) {
	s.access.Swap(v.Assembly.Access)
	s.Chats.Limit(v.Config.Chats)
	s.Chats.KeepFiles(v.Config.Store.Keep.Files)
	s.teller.use(v.Assembly.Webhooks)
	if applied != nil {
		applied(v.Config)
	}
}
