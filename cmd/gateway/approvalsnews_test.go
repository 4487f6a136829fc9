package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/approval"
)

// TestApprovalsNoticed: a call that waits is answered when another program takes an
// answer in the store.
func TestApprovalsNoticed(t *testing.T) {
	a := newDesks(t, false)
	answered := make(chan string, 1)
	go func() {
		text, _ := a.call("wait", `{"amount":3}`)
		answered <- text
	}()
	var id string
	for id == "" {
		found, err := a.house.Gateway.Approvals(t.Context(), approval.Query{State: approval.Pending})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 1 {
			id = found[0].ID
		} else {
			time.Sleep(time.Millisecond)
		}
	}
	if got := a.run("approve", id); !strings.HasPrefix(got, "approved apr_ID: wait ") {
		t.Error(got)
	}
	if diff := cmp.Diff("waited", <-answered); diff != "" {
		t.Error(diff)
	}
}
