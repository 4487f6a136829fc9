package httptool

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// moods are what the upstream of a breaker test does, by letter.
var moods = map[rune]http.HandlerFunc{
	'o': func(http.ResponseWriter, *http.Request) {},
	'4': func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
	'5': func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	'2': func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
	'3': func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	'g': func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) },
	'x': func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	's': func(http.ResponseWriter, *http.Request) { time.Sleep(time.Hour) },
	'h': func(w http.ResponseWriter, _ *http.Request) { // breaks off in the body
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("so far"))
		panic(http.ErrAbortHandler)
	},
	'r': func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) }, // a redirect to nowhere
}

// TestBreaker: each letter is a call, a number of seconds a pause. The answer
// has one sign a call: + was asked, - was not.
func TestBreaker(t *testing.T) {
	three := 3
	none := 0
	tests := []struct {
		name, calls string
		cfg         *Breaker
		want        string
	}{
		{"all is well", "oooooo", &Breaker{Failures: &three}, "++++++"},
		{"the default", "xxxxxxx", nil, "+++++--"},
		{"resets", "xxxo", &Breaker{Failures: &three}, "+++-"},
		{"statuses of no answer", "23go", &Breaker{Failures: &three}, "+++-"},
		{"too slow", "ssso", &Breaker{Failures: &three}, "+++-"},
		{"broken off in the body", "hhho", &Breaker{Failures: &three}, "+++-"},
		{"statuses of an answer", "454545o", &Breaker{Failures: &three}, "+++++++"},
		{"redirects to nowhere", "rrrro", &Breaker{Failures: &three}, "+++++"},
		{"in a row only", "xx4xx5xxo", &Breaker{Failures: &three}, "+++++++++"},
		{"off", "xxxxxxxo", &Breaker{Failures: &none}, "++++++++"},
		{"open for the pause", "xxx-9-o-1-oo", &Breaker{Failures: &three}, "+++-++"},
		{"half-open and failing", "xxx-10-xo-10-oo", &Breaker{Failures: &three}, "++++-++"},
		{"a pause of its own", "xxx-59-o-1-o", &Breaker{Failures: &three, Pause: time.Minute}, "+++-+"},
		{"given up by the caller", "cccco", &Breaker{Failures: &three}, "+++++"},
		{"not answered in the tool's own time", "ttto", &Breaker{Failures: &three}, "+++-"},
		{"half-open and given up", "xxx-10-cxo", &Breaker{Failures: &three}, "+++++-"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playBreaker(t, test.cfg, test.calls, test.want) })
		})
	}
}

func playBreaker(t *testing.T, cfg *Breaker, calls, want string) {
	u := newUpstream(t, newClient(t, nil), UpstreamConfig{URL: "http://crm.test", Timeout: 30 * time.Second, Breaker: cfg})
	asked, mood := false, 'o'
	inMemory(t, u.transport, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = true
		if mood == 'c' || mood == 't' {
			mood = 's'
		}
		moods[mood](w, r)
	}))
	var got strings.Builder
	for i, step := range strings.Split(calls, "-") {
		if i%2 == 1 {
			pause, err := time.ParseDuration(step + "s")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(pause)
			continue
		}
		for _, mood = range step {
			asked = false
			ctx, stop := context.WithCancel(t.Context())
			switch mood {
			case 'c':
				time.AfterFunc(time.Second, stop)
			case 't':
				ctx, stop = context.WithTimeout(ctx, time.Second)
			}
			answer := ask(ctx, t, u, message{method: "POST", url: "http://crm.test/x"})
			stop()
			synctest.Wait()
			got.WriteString(map[bool]string{true: "+", false: "-"}[asked])
			if !asked && (answer.err == nil || answer.err.Code != tool.UpstreamUnavailable || !answer.err.Retryable || answer.err.RetryAfter <= 0 || !strings.Contains(answer.err.Message, "times in a row and is not asked for now")) {
				t.Errorf("got %v", answer.err)
			}
		}
	}
	if got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
	time.Sleep(2 * time.Hour)
}

// TestBreakerTells: how often the upstream failed, and for how long it is left
// alone.
func TestBreakerTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker("crm", 2, 10*time.Second)
		fail := func() {
			settle, err := b.admit()
			if err != nil {
				t.Fatal(err)
			}
			settle(failing)
		}
		fail()
		fail()
		time.Sleep(4 * time.Second)
		_, err := b.admit()
		if e := tool.AsError(err); e.RetryAfter != 6*time.Second || !strings.Contains(e.Message, "has failed 2 times in a row") || !strings.Contains(e.Error(), `"crm"`) || strings.Contains(e.Text(), "crm") {
			t.Errorf("got %v after %v", e, e.RetryAfter)
		}
		time.Sleep(6 * time.Second)
		settle, err := b.admit()
		if err != nil {
			t.Fatalf("after the wait it is not asked: %v", err)
		}
		if _, err := b.admit(); tool.AsError(err).RetryAfter != trialWait {
			t.Errorf("a second request goes beside the trial: %v", err)
		}
		settle(failing)
		if _, err := b.admit(); !strings.Contains(err.Error(), "has failed 3 times") || tool.AsError(err).RetryAfter != 10*time.Second {
			t.Errorf("got %v", err)
		}
		time.Sleep(10 * time.Second)
		settle, err = b.admit()
		if err != nil {
			t.Fatal(err)
		}
		settle(healthy)
		if _, err := b.admit(); err != nil {
			t.Errorf("it stays away from an upstream that answers: %v", err)
		}
	})
}

// TestBlockedTargetsAreNoFailures: what the guard refuses says nothing of the
// upstream.
func TestBlockedTargetsAreNoFailures(t *testing.T) {
	u := newUpstream(t, newClient(t, nil), UpstreamConfig{URL: "http://127.0.0.1:1"})
	for range DefaultFailures + 2 {
		if got := ask(t.Context(), t, u, message{method: "GET", url: "http://127.0.0.1:1"}); got.err == nil || got.err.Code != tool.BlockedTarget {
			t.Errorf("got %v", got.err)
		}
	}
}
