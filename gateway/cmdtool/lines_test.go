package cmdtool

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// divide writes data in pieces of a size and returns what came through and the
// steps.
func divide(data []byte, size int) (string, []tool.Step) {
	var out bytes.Buffer
	var steps []tool.Step
	s := &splitter{out: &out, step: func(step tool.Step) { steps = append(steps, step) }}
	for len(data) > 0 {
		n := min(size, len(data))
		_, _ = s.Write(data[:n]) // a buffer takes everything
		data = data[n:]
	}
	_ = s.close()
	return out.String(), steps
}

func TestSplitter(t *testing.T) {
	long := `{"progress": 1, "message": "` + strings.Repeat("x", maxStepLine) + `"}`
	tests := []struct {
		name, data, out string
		steps           []tool.Step
	}{
		{"nothing", "", "", nil},
		{"no step", "a\n\nb", "a\n\nb", nil},
		{"steps between lines", "a\n" + `{"progress": 1, "total": 2, "message": "m"}` + "\nb\n" + `{"progress":2.5}` + "\n", "a\nb\n", []tool.Step{{Done: 1, Total: 2, Message: "m"}, {Done: 2.5}}},
		{"a last line without an end", `{"progress": 1}`, "", []tool.Step{{Done: 1}}},
		{"other line ends and spaces", " \t{\"progress\": 1} \r\nx\r\n", "x\r\n", []tool.Step{{Done: 1}}},
		{"other members", `{"a": [{}], "progress": 1}` + "\n", "", []tool.Step{{Done: 1}}},
		{"other types of total and message", `{"progress": 1, "total": "2", "message": 3}` + "\n", "", []tool.Step{{Done: 1}}},
		{"a total of less than nothing", `{"progress": 1, "total": -2}` + "\n", "", []tool.Step{{Done: 1}}},
		{"text for a number", `{"progress": "1"}` + "\n", `{"progress": "1"}` + "\n", nil},
		{"null for a number", `{"progress": null}`, `{"progress": null}`, nil},
		{"a number no computer can hold", `{"progress": 1e999}`, `{"progress": 1e999}`, nil},
		{"another key", `{"Progress": 1}` + "\n", `{"Progress": 1}` + "\n", nil},
		{"a list", `[{"progress": 1}]` + "\n", `[{"progress": 1}]` + "\n", nil},
		{"not quite JSON", `{"progress": 1` + "\n}", `{"progress": 1` + "\n}", nil},
		{"two on a line", `{"progress": 1}{"progress": 2}` + "\n", `{"progress": 1}{"progress": 2}` + "\n", nil},
		{"text before it", `x {"progress": 1}` + "\n", `x {"progress": 1}` + "\n", nil},
		{"a long line", long + "\n" + `{"progress": 1}`, long + "\n", []tool.Step{{Done: 1}}},
		{"the rest of a long line", long[:maxStepLine+1] + `{"progress": 1}` + "\n", long[:maxStepLine+1] + `{"progress": 1}` + "\n", nil},
		{"blank lines and bytes that are not text", " \n\n\xff{\n\x00", " \n\n\xff{\n\x00", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, size := range []int{1, 7, 1 << 20} {
				out, steps := divide([]byte(test.data), size)
				if out != test.out {
					t.Errorf("pieces of %d: got %q, want %q", size, out, test.out)
				}
				if diff := cmp.Diff(test.steps, steps); diff != "" {
					t.Errorf("pieces of %d: (-want +got)\n%s", size, diff)
				}
			}
		})
	}
}

// FuzzProgress holds that what comes out is what went in without the lines that
// are steps, however it was written.
func FuzzProgress(f *testing.F) {
	for _, seed := range []string{"", "a\nb", `{"progress": 1}` + "\nx\n" + `{"progress": 2}`, " {\n}\n\n", "\r\n{\"progress\":1}\r\n"} {
		f.Add([]byte(seed), 1)
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, size)
		var want strings.Builder
		count := 0
		for line := range bytes.Lines(data) {
			if _, ok := readStep(line); ok {
				count++
				continue
			}
			want.Write(line)
		}
		out, steps := divide(data, size)
		if out != want.String() || len(steps) != count {
			t.Errorf("%q became %q and %d steps, want %q and %d", data, out, len(steps), want.String(), count)
		}
	})
}

// TestReporter tells the times at which steps are reported, in thousandths of
// a second.
func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type told struct {
			At   int64
			Done float64
		}
		var got []told
		began := time.Now()
		r := &reporter{report: func(s tool.Step) { got = append(got, told{time.Since(began).Milliseconds(), s.Done}) }}
		for i := range 250 { // 1000 steps a second
			r.step(tool.Step{Done: float64(i)})
			time.Sleep(time.Millisecond)
		}
		r.step(tool.Step{Done: 3}) // behind the others
		time.Sleep(time.Second)
		synctest.Wait()
		r.step(tool.Step{Done: 300})
		r.step(tool.Step{Done: 301})
		r.close()
		time.Sleep(time.Second)
		want := []told{{0, 0}, {100, 100}, {200, 200}, {300, 249}, {1250, 300}, {1250, 301}}
		// At 100 and 200 ms a step comes and an older one falls due at once: either
		// may be first.
		for i := range got {
			if i < len(want) && want[i].Done-got[i].Done == 1 {
				got[i].Done++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestMessagesOfSteps(t *testing.T) {
	masker := secret.NewMasker(secret.NewValue("s3cret"))
	for message, want := range map[string]string{
		"reading":                           "reading",
		"key s3cret":                        "key " + masker.Text("s3cret"),
		strings.Repeat("ü", 1000):           strings.Repeat("ü", maxStepMessage/2) + " […]",
		strings.Repeat("x", 495) + "s3cret": strings.Repeat("x", 495) + masker.Text("s3cret")[:5] + " […]",
	} {
		var got string
		r := &reporter{masker: masker, report: func(s tool.Step) { got = s.Message }}
		r.step(tool.Step{Message: message})
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestProgressOfARun(t *testing.T) {
	const flood = `i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo '{"progress": '$i', "message": "0123456789012345678901234567890123456789"}'; done`
	tests := []struct {
		name, script string
		progress     Progress
		out          string
		code         tool.Code
		last         float64 // of the steps; 0 for none
	}{
		{"steps and output", `echo a; echo '{"progress": 1}'; echo b; echo '{"progress": 2}'`, JSONLines, "a\nb\n", "", 2},
		{"without being asked for", `echo '{"progress": 1}'`, "", "{\"progress\": 1}\n", "", 0},
		{"a flood of steps counts for no output", flood, JSONLines, "", "", 5000},
		{"steps before a failure", `echo '{"progress": 1}'; exit 1`, JSONLines, "", tool.UpstreamError, 1},
		{"too much output between steps", `echo '{"progress": 1}'; head -c 70000 /dev/zero`, JSONLines, "", tool.TooLarge, 1},
		{"too much output in a last line that may be a step", `head -c 65530 /dev/zero; echo; printf '{%s' 0123456789`, JSONLines, "", tool.TooLarge, 0},
		{"one line without end", `printf '{'; yes | tr -d '\n'`, JSONLines, "", tool.TooLarge, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var steps []tool.Step
			ctx := tool.WithProgress(t.Context(), func(s tool.Step) { steps = append(steps, s) })
			began := time.Now()
			out, err := compile(t, Config{Argv: shell(test.script), Progress: test.progress}, Deps{Dir: t.TempDir()}).Run(ctx, input(t, `{}`))
			if test.code != "" {
				wantFailure(t, err, test.code)
			} else if err != nil || out.Text() != test.out {
				t.Errorf("got %q, %v, want %q", out.Text(), err, test.out)
			}
			last := 0.0
			if len(steps) > 0 {
				last = steps[len(steps)-1].Done
			}
			if most := int(time.Since(began)/stepEvery) + 2; last != test.last || len(steps) > most {
				t.Errorf("the last of %d steps is %v, want %v and at most %d", len(steps), last, test.last, most)
			}
		})
	}
}
