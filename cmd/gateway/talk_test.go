package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestTalkNeverWaits: a log that nobody reads holds nobody up, and says later
// what is missing.
func TestTalkNeverWaits(t *testing.T) {
	r, w := io.Pipe()
	log := newTalk(w)
	const lines = maxTalk + 100
	for i := range lines { // would hang here
		_, _ = fmt.Fprintf(log, "line %d\n", i)
	}
	read := make(chan string)
	go func() {
		data, _ := io.ReadAll(r)
		read <- string(data)
	}()
	_ = log.Close()
	_ = w.Close()
	got := <-read
	if !strings.Contains(got, "line 0\n") || !strings.Contains(got, "lines of the log were dropped") {
		t.Errorf("got %d bytes: %.200s", len(got), got)
	}
}

// TestTalkIsClosed: a reader that is gone is no failure.
func TestTalkIsClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	log := newTalk(w)
	for range 10 {
		if _, err := log.Write([]byte("x\n")); err != nil {
			t.Error(err)
		}
	}
	_ = log.Close()
	_ = w.Close()
}
