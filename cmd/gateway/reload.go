package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/reload"
)

// reloadWhenAsked reloads when files of the configuration change and when the
// process is sent SIGHUP, which the channel tells, until the context is over. The
// function it returns waits for the end of both.
func (s *server) reloadWhenAsked(ctx context.Context, hangups <-chan os.Signal, log *talk, lines *logs) (wait func()) {
	s.reloader = reload.New(s.gateway, s.source, s.version, reload.Options{
		Logger: s.logger, Hide: log.hide, ListChanged: s.mcp.ToolsChanged, Ended: s.reloaded,
		Apply: func(v *reload.Version) { s.apply(v, lines) },
	})
	s.version = nil // a server that has reloaded needs no memory for what it served first
	ctx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { s.reloader.Run(ctx) })
	work.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				_, _ = s.reloader.Reload(ctx, "signal") // what came of it is logged
			}
		}
	})
	return func() {
		stop()
		work.Wait()
		if err := s.reloader.Close(); err != nil {
			s.logger.Warn("stopping", "problem", err)
		}
	}
}

// reloading is the reloader as the HTTP API asks for it; nil without one.
func (s *server) reloading() httpapi.Reloader {
	if s.reloader == nil {
		return nil
	}
	return reloading{s.reloader}
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
func (s *server) checkReloaded() error {
	if s.reloader == nil {
		return nil
	}
	switch status := s.reloader.Status(); {
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
func (s *server) reloaded(o reload.Outcome, res *reload.Result) {
	switch o {
	case reload.Swapped:
		runtime.GC() // now that little but what is served is left
		tuneCollector()
		s.metrics.Reloaded(metrics.ReloadOK)
		s.feed.Say("reloaded", res)
	case reload.Unchanged:
		s.metrics.Reloaded(metrics.ReloadUnchanged)
	case reload.Failed:
		s.metrics.Reloaded(metrics.ReloadFailed)
		s.feed.Say("reload_failed", map[string]int{"problems": s.reloader.Status().Problems})
	}
}

// apply makes what no generation holds follow the configuration.
func (s *server) apply(v *reload.Version, lines *logs) {
	s.access.Swap(v.Assembly.Access)
	s.chats.Limit(v.Config.Chats)
	s.chats.KeepFiles(v.Config.Store.Keep.Files)
	s.teller.use(v.Assembly.Webhooks)
	lines.use(v.Config.Log)
}
