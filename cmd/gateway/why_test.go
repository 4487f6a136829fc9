package main

import (
	"testing"

	"github.com/toolgate/toolgate/gateway/runlog"
)

// TestWhy holds what the operator reads in the last column of the log.
func TestWhy(t *testing.T) {
	t.Parallel()
	for want, entry := range map[string]runlog.Entry{
		"": {Status: runlog.StatusOK},
		"its process ended while it ran: it may have had an effect": {Status: runlog.StatusInterrupted},
		"the gateway is stopping":                                   {Status: runlog.StatusInterrupted, Record: runlog.Record{Error: "the gateway is stopping"}},
		"no":                                                        {Status: runlog.StatusError, Record: runlog.Record{Error: "no"}},
		"no (cause: dns)":                                           {Status: runlog.StatusError, Record: runlog.Record{Error: "no", Cause: "dns"}},
	} {
		if got := why(&entry); got != want {
			t.Errorf("%+v: %q, want %q", entry, got, want)
		}
	}
}
