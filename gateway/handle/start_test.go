package handle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestLife follows a call from start to the time it is forgotten, as the HTTP
// API shows it.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := newDesk(handle.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		s, err := d.Start(ctx, call("slow", "call_1", `{"a":1}`))
		cancel() // the call goes on
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, s, `{"call_id":"call_1","tool":"slow","state":"running","started_at":"2000-01-01T00:00:00Z"}`)
		synctest.Wait()
		running := `{"call_id":"call_1","tool":"slow","state":"running","progress":{"done":1,"total":4,"message":"a < b"},"started_at":"2000-01-01T00:00:00Z"}`
		s, _ = d.Status(ann, "call_1")
		wantJSON(t, s, running)
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		s, _ = d.Wait(short, ann, "call_1")
		wantJSON(t, s, running)
		ended := `{"call_id":"call_1","tool":"slow","state":"completed","progress":{"done":1,"total":4,"message":"a < b"},` +
			`"started_at":"2000-01-01T00:00:00Z","ended_at":"2000-01-01T00:01:00Z","duration_ms":60000,` +
			`"result":{"call_id":"call_1","tool":"slow","status":"ok","content":[{"type":"text","text":"{\"a\":1}"}],"duration_ms":0}}`
		wantJSON(t, wait(t, d, "call_1"), ended)
		time.Sleep(handle.DefaultKeep - 1)
		wantJSON(t, wait(t, d, "call_1"), ended)
		time.Sleep(time.Nanosecond)
		if _, ok := d.Wait(t.Context(), ann, "call_1"); ok {
			t.Error("the call is not forgotten")
		}
	})
}

func wantJSON(t *testing.T, s handle.Status, want string) {
	t.Helper()
	data, err := s.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "status", want, string(data))
	if again, err := json.Marshal(s); err != nil || !json.Valid(again) {
		t.Errorf("%s, %v", again, err)
	}
}

func TestStates(t *testing.T) {
	cases := []struct {
		tool   string
		cancel bool
		want   handle.State
		code   tool.Code
	}{
		{"echo", false, handle.Completed, ""},
		{"slow", false, handle.Completed, ""},
		{"denied", false, handle.Failed, tool.Denied},
		{"interrupted", false, handle.Failed, tool.Interrupted},
		{"cancelled", false, handle.Cancelled, tool.Cancelled},
		{"slow", true, handle.Cancelled, tool.Cancelled},
		{"stubborn", true, handle.Cancelled, tool.Cancelled},
		{"hurt", true, handle.Cancelled, tool.UpstreamError},
		{"steady", true, handle.Completed, ""},
		{"echo", true, handle.Completed, ""}, // it had ended before
		{"denied", true, handle.Failed, tool.Denied},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %v", c.tool, c.cancel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, _ := newDesk(handle.Options{})
				id := start(t, d, call(c.tool, "", "{}")).ID
				if !strings.HasPrefix(id, "call_") {
					t.Errorf("the call has the ID %q", id)
				}
				synctest.Wait()
				if c.cancel {
					before, _ := d.Status(ann, id)
					s, ok := d.Cancel(ann, id)
					same(t, "found", true, ok)
					same(t, "state", before.State, s.State)
				}
				s := wait(t, d, id)
				same(t, "state", c.want, s.State)
				same(t, "call", id, s.Result.CallID)
				if s.Result.Error != nil || c.code != "" {
					same(t, "code", c.code, s.Result.Error.Code)
				}
			})
		})
	}
}

// TestOthersSeeNothing holds that a call is there for its own caller only, and
// that each caller has IDs of its own.
func TestOthersSeeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := newDesk(handle.Options{})
		start(t, d, call("slow", "1", "{}"))
		_, status := d.Status(bob, "1")
		_, waited := d.Wait(t.Context(), bob, "1")
		_, cancelled := d.Cancel(bob, "1")
		same(t, "found", []bool{false, false, false}, []bool{status, waited, cancelled})
		_, err := d.Start(t.Context(), call("echo", "1", "{}"))
		wantError(t, err, tool.InvalidArgs, "Error: a call with the id \"1\" was started before\nAsk after that call by its id, or start this one with another id.")
		_, err = d.Start(t.Context(), tool.Call{ID: "1", Tool: "denied", Caller: bob})
		if err != nil {
			t.Error(err)
		}
		s, _ := d.Wait(t.Context(), bob, "1")
		same(t, "tool", "denied", s.Tool)
		same(t, "state", handle.Completed, wait(t, d, "1").State)
	})
}

// TestSteps holds that steps are kept as they come, and none after the end or
// that JSON cannot show.
func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type valueKey struct{}
		var late context.Context
		d := handle.New(func(ctx context.Context, c tool.Call) tool.Result {
			late = ctx
			for i := range 3 {
				tool.Progress(ctx, tool.Step{Done: float64(i), Message: fmt.Sprint(ctx.Value(valueKey{}))})
			}
			tool.Progress(ctx, tool.Step{Done: math.NaN()})
			tool.Progress(ctx, tool.Step{Total: math.Inf(1)})
			return answer(c, nil)
		}, handle.Options{})
		ctx := tool.WithProgress(context.WithValue(t.Context(), valueKey{}, "kept"), func(tool.Step) {
			t.Error("a step went to who listened to the request")
		})
		if _, err := d.Start(ctx, call("x", "1", "")); err != nil {
			t.Fatal(err)
		}
		wait(t, d, "1")
		tool.Progress(late, tool.Step{Done: 9})
		same(t, "step", &tool.Step{Done: 2, Message: "kept"}, wait(t, d, "1").Progress)
	})
}

// TestFollow tells who follows a started call of its steps, also when its context is
// over.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := make(chan struct{})
		d := handle.New(func(ctx context.Context, c tool.Call) tool.Result {
			<-begin
			tool.Progress(ctx, tool.Step{Done: 1})
			tool.Progress(ctx, tool.Step{Done: 2})
			return answer(c, nil)
		}, handle.Options{})
		var told []float64
		ctx, stop := context.WithCancel(t.Context())
		if _, err := d.Follow(ctx, call("x", "1", ""), func(s tool.Step) { told = append(told, s.Done) }); err != nil {
			t.Fatal(err)
		}
		stop()
		close(begin)
		same(t, "step", &tool.Step{Done: 2}, wait(t, d, "1").Progress)
		same(t, "steps", []float64{1, 2}, told)
	})
}

// TestRoom holds the limits of started calls: of one caller, and in all.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := newDesk(handle.Options{PerCaller: 3, Most: 5})
		start(t, d, call("slow", "1", ""))
		start(t, d, call("echo", "2", ""))
		wait(t, d, "2")
		start(t, d, call("echo", "3", ""))
		wait(t, d, "3")
		start(t, d, call("slow", "4", "")) // in the place of 2
		same(t, "here", []string{"1", "3", "4"}, here(d, "1", "2", "3", "4"))
		start(t, d, call("slow", "5", ""))
		_, err := d.Start(t.Context(), call("echo", "6", ""))
		wantError(t, err, tool.Overloaded, "Error: you have 3 calls that have not ended, so this one was not run\nWait until some of them have ended, or cancel them.")
		for _, id := range []string{"7", "8"} {
			if _, err := d.Start(t.Context(), tool.Call{ID: id, Tool: "slow", Caller: bob}); err != nil {
				t.Error(err)
			}
		}
		_, err = d.Start(t.Context(), tool.Call{Tool: "echo", Caller: bob})
		wantError(t, err, tool.Overloaded, "Error: 5 calls have not ended, so this one was not run\nWait until some of them have ended, or cancel them.")
		wait(t, d, "5")
		if _, err := d.Start(t.Context(), tool.Call{Tool: "echo", Caller: bob}); err != nil {
			t.Error(err)
		}
	})
}

// TestBytes holds that results of one caller are kept up to a quarter of the size.
func TestBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10_000
		d, _ := newDesk(handle.Options{Bytes: 4 * limit})
		for i, size := range []int{3500, 3500, 3000, 50_000, 1} {
			id := fmt.Sprint(i)
			start(t, d, call("echo", id, strings.Repeat("x", size)))
			wait(t, d, id)
			_, _, held, _ := d.Held()
			if size < limit && (held > limit || held < int64(size)) {
				t.Errorf("%d bytes are held after one of %d", held, size)
			}
			want := [][]string{{"0"}, {"0", "1"}, {"1", "2"}, {"3"}, {"4"}}[i]
			same(t, "here", want, here(d, "0", "1", "2", "3", "4"))
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := newDesk(handle.Options{Keep: 2 * time.Hour})
		start(t, d, call("slow", "1", ""))
		start(t, d, call("stubborn", "2", ""))
		once := make(chan tool.Result)
		go func() {
			r, _, _ := d.Once(t.Context(), handle.Key{ID: "3"}, call("slow", "3", ""))
			once <- r
		}()
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), time.Minute/2)
		defer stop()
		if err := d.Close(short); err == nil || !strings.HasSuffix(err.Error(), "calls have not ended: context deadline exceeded") {
			t.Errorf("Close: %v", err)
		}
		same(t, "code", tool.Interrupted, (<-once).Error.Code)
		_, err := d.Start(t.Context(), call("echo", "4", ""))
		wantError(t, err, tool.Interrupted, "Error: the gateway is stopping, so the call was not run\nCall it again when the gateway is back.")
		_, _, err = d.Once(t.Context(), handle.Key{ID: "3"}, call("slow", "3", ""))
		wantError(t, err, tool.Interrupted, "Error: the gateway is stopping, so the call was not run\nCall it again when the gateway is back.")
		for range 2 {
			if err := d.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		for _, id := range []string{"1", "2"} {
			s, _ := d.Status(ann, id)
			same(t, "state", handle.Failed, s.State)
			same(t, "text", "Error: the gateway is stopping", s.Result.Output.Text())
		}
	})
}
