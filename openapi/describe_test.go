package openapi_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// TestDescribe holds what models are told of an operation.
func TestDescribe(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("word ", 300)
	for _, c := range []struct {
		name        string
		op          spec.Operation
		title, want string
	}{
		{"summary", spec.Operation{Summary: "List pets"}, "List pets", "List pets"},
		{"description", spec.Operation{Description: "Lists all pets."}, "", "Lists all pets."},
		{"both", spec.Operation{Summary: "List pets.", Description: "All of them."}, "List pets.", "List pets.\n\nAll of them."},
		{"the same", spec.Operation{Summary: "List pets.", Description: "List pets."}, "List pets.", "List pets."},
		{"description goes on", spec.Operation{Summary: "List pets.", Description: "List pets, all of them."}, "List pets.", "List pets, all of them."},
		{"nothing", spec.Operation{Method: "GET", Path: "/pets/{id}"}, "", "GET /pets/{id}"},
		{"nothing but tags", spec.Operation{Method: "GET", Path: "/pets", Summary: "<p></p>", Description: "<br/>"}, "", "GET /pets"},
		{"deprecated", spec.Operation{Summary: "List pets", Deprecated: true}, "List pets", "Deprecated. List pets"},
		{"deprecated, and says so", spec.Operation{Summary: "List pets", Description: "DEPRECATED: use another.", Deprecated: true}, "List pets", "List pets.\n\nDEPRECATED: use another."},
		{"deprecated without a text", spec.Operation{Method: "GET", Path: "/a", Deprecated: true}, "", "Deprecated. GET /a"},
		{"HTML", spec.Operation{Description: `<p class="x">One <b>big</b> <a href="https://x">pet</a>.</p><!-- no --><ul><li>a</li><li>b</li></ul>`}, "", "One big pet.\n\na\n\nb"},
		{"comments", spec.Operation{Description: "a<!-- b -- > <!-- c -->d <!---->e <!-- f"}, "", "ad e <!-- f"},
		{"line breaks of HTML", spec.Operation{Description: "One<br>two<BR/>three"}, "", "One\ntwo\nthree"},
		{"entities", spec.Operation{Summary: "Cats &amp; dogs&nbsp;&lt;id&gt;"}, "Cats & dogs <id>", "Cats & dogs <id>"},
		{"an ampersand", spec.Operation{Summary: "Q&A, a&b=c&copy=d"}, "Q&A, a&b=c&copy=d", "Q&A, a&b=c&copy=d"},
		{"what is no HTML", spec.Operation{Description: "A list<Pet> of <id>, if a < b and c > d, see <https://x>."}, "", "A list<Pet> of <id>, if a < b and c > d, see <https://x>."},
		{"Markdown", spec.Operation{Description: "# Pets\r\n\r\n\r\n * one\n * `two`\n   \n\n[link](https://x)"}, "", "# Pets\n\n* one\n * `two`\n\n[link](https://x)"},
		{"title of more lines", spec.Operation{Summary: "List pets\nand more"}, "List pets", "List pets\nand more"},
		{"long", spec.Operation{Description: words}, "", strings.TrimSpace(words[:1020]) + "…"},
		{"longer than is looked at", spec.Operation{Description: "One" + strings.Repeat("<br>", 1<<14) + "two"}, "", "One…"},
		{"nothing in what is looked at", spec.Operation{Method: "GET", Path: "/a", Description: strings.Repeat("<br>", 1<<14) + "two"}, "", "GET /a"},
		{"long title", spec.Operation{Summary: words[:200]}, strings.TrimSpace(words[:99]) + "…", strings.TrimSpace(words[:200])},
		{"just fits", spec.Operation{Description: strings.Repeat("x", 1024)}, "", strings.Repeat("x", 1024)},
		{"one word", spec.Operation{Description: strings.Repeat("x", 1025)}, "", strings.Repeat("x", 1023) + "…"},
		{"no words", spec.Operation{Description: strings.Repeat("猫", 1025)}, "", strings.Repeat("猫", 1023) + "…"},
		{"a space at the start", spec.Operation{Description: "猫 " + strings.Repeat("猫", 1025)}, "", "猫 " + strings.Repeat("猫", 1021) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := openapi.Describe(&c.op)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.title, openapi.Title(&c.op)); diff != "" {
				t.Error(diff)
			}
			if n := utf8.RuneCountInString(got); n > openapi.MaxDescription || !utf8.ValidString(got) {
				t.Errorf("%d characters", n)
			}
		})
	}
}

// TestDescribeHostile holds that no more than the start of a text is looked at,
// whatever stands in it: what follows changes nothing.
func TestDescribeHostile(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"<!--", "<!-- x", "<!-- x -->", "<a ", "<a", "<p>", "&amp;", "&a", "\n ", "\r\n", "a > b < c ", "猫", "x"} {
		text := strings.Repeat(part, (1<<20)/len(part))
		start := text[:openapi.MaxWritten+utf8.UTFMax]
		for _, op := range []spec.Operation{{Summary: "One."}, {}} {
			long, short := op, op
			long.Description, short.Description = text, start
			got := openapi.Describe(&long)
			if diff := cmp.Diff(openapi.Describe(&short), got); diff != "" {
				t.Errorf("%q: %s", part, diff)
			}
			if n := utf8.RuneCountInString(got); n > openapi.MaxDescription || !utf8.ValidString(got) {
				t.Errorf("%q: %d characters: %q", part, n, got)
			}
		}
		if long, short := openapi.Title(&spec.Operation{Summary: text}), openapi.Title(&spec.Operation{Summary: start}); long != short {
			t.Errorf("%q: %q, not %q", part, long, short)
		}
	}
}
