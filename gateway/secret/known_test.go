package secret_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/toolgate/toolgate/gateway/secret"
)

// TestLearn: of each source the last two values are known, and what is known
// for good stays.
func TestLearn(t *testing.T) {
	t.Parallel()
	m := &secret.Masker{}
	if m.Text("token-1") != "token-1" {
		t.Error("the zero Masker changes text")
	}
	steps := []struct {
		learn func()
		want  string
	}{
		{func() { m.Learn("a", secret.NewValue("token-1")) }, "* token-2 token-3 other-1 fixed-1"},
		{func() { m.Know(secret.NewValue("fixed-1")) }, "* token-2 token-3 other-1 *"},
		{func() { m.Learn("a", secret.NewValue("token-2")) }, "* * token-3 other-1 *"},
		{func() { m.Learn("b", secret.NewValue("other-1")) }, "* * token-3 * *"},
		{func() { m.Learn("a", secret.NewValue("token-2")) }, "* * token-3 * *"},
		{func() { m.Learn("a", secret.NewValue("abc")) }, "* * token-3 * *"},
		{func() { m.Learn("a", secret.NewValue("token-1")) }, "* * token-3 * *"},
		{func() { m.Learn("a", secret.NewValue("token-3")) }, "* token-2 * * *"},
		{func() { m.Know() }, "* token-2 * * *"},
	}
	for i, step := range steps {
		step.learn()
		got := m.Text("token-1 token-2 token-3 other-1 fixed-1")
		if got = strings.ReplaceAll(got, masked, "*"); got != step.want {
			t.Errorf("step %d: got %s, want %s", i, got, step.want)
		}
	}
	var none *secret.Masker
	none.Know(secret.NewValue("fixed-1"))
	none.Learn("a", secret.NewValue("token-1"))
	if none.Text("fixed-1 token-1") != "fixed-1 token-1" {
		t.Error("the nil Masker knows something")
	}
}

// TestLearnWhileMasking: tokens are learnt while others mask; whoever learnt one
// finds it masked at once, and what is known for good always is.
func TestLearnWhileMasking(t *testing.T) {
	t.Parallel()
	m := &secret.Masker{}
	m.Know(secret.NewValue(hidden))
	text := `{"a": "x\n` + `hunter2 \"&/+é", "b": 1}`
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			source := fmt.Sprint("source ", worker)
			for i := range 50 {
				token := fmt.Sprintf("token-%d-%d", worker, i)
				m.Learn(source, secret.NewValue(token))
				m.Know(secret.NewValue(fmt.Sprint("known-", worker)))
				if out := m.Text("Bearer " + token); out != "Bearer "+masked {
					t.Errorf("just learnt: %s", out)
				}
				if out := string(m.Bytes([]byte(text))); out != `{"a": "x\n[secret]", "b": 1}` {
					t.Errorf("known before: %s", out)
				}
			}
		})
	}
	group.Wait()
	for i, want := range map[int]bool{47: false, 48: true, 49: true} {
		if out := m.Text(fmt.Sprint("token-3-", i)); (out == masked) != want {
			t.Errorf("token %d: %s", i, out)
		}
	}
}

// TestNothingFound: where nothing is replaced, the input itself comes back.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	m := secret.NewMasker(secret.NewValue(hidden))
	for _, text := range []string{
		"prose, hunter 2", `{"a": ["\u0041\n", "[\"\\\"\"]", 12]}`, `["not JSON\"`, "[\"\xff\"]", "\\", "%", "", `"`, `"\`, `{"`,
	} {
		data := []byte(text)
		if out := m.Bytes(data); string(out) != text || unsafe.SliceData(out) != unsafe.SliceData(data) {
			t.Errorf("%q was copied: %q", text, out)
		}
		if out := m.Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
	data := []byte("a " + hidden)
	if out := m.Bytes(data); string(out) != "a "+masked || string(data) != "a "+hidden {
		t.Errorf("got %s, and left %s", out, data)
	}
}

// TestMaskedAllocations: a large text in which nothing is found is not copied,
// however it is made.
func TestMaskedAllocations(t *testing.T) {
	const size, most = 1 << 20, 200 << 10
	m := secret.NewMasker(keys(20)...)
	for _, tt := range ordinary(size) {
		data := []byte(tt.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m.Bytes(data)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d bytes are made to mask %d", tt.name, got, len(data))
		}
	}
}
