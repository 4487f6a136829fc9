package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/gateway/diag"
)

// fewestWarnings is how many warnings the archives of TestLintWarnings hold at least.
const fewestWarnings = 60

// TestLintWarnings runs lint on files that are valid and yet not what anyone wants. Each
// archive holds them and the exact lines that lint prints.
func TestLintWarnings(t *testing.T) {
	paths, err := filepath.Glob("testdata/lint/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	told := map[diag.Class]int{}
	total := 0
	for _, path := range paths {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			for _, class := range lintWarnings(t, absolute) {
				told[class]++
				total++
			}
		})
	}
	if total < fewestWarnings {
		t.Errorf("%d warnings, fewer than %d", total, fewestWarnings)
	}
	for _, c := range diag.Classes() {
		if told[c.Class] == 0 && !slices.Contains(toldElsewhere(), c.Class) {
			t.Errorf("no file is warned of as %s", c.Class)
		}
	}
}

// toldElsewhere are the classes that other tests have, as they need more than a file.
func toldElsewhere() []diag.Class {
	return []diag.Class{
		diag.LeftOutTool, diag.LoosenedPolicy, diag.AbsentSource, diag.StaleDocument, diag.DocumentFlaws,
		diag.UnmatchedInclude, diag.StrayVariable, diag.SecretInText, diag.PollSettings, diag.OtherWarning,
		diag.CredentialsElsewhere, diag.LeftOutOperation, diag.MissingCredentials,
		diag.LongDescription, diag.LargeSchema, diag.TooManyTools, diag.LargeList, // TestLintLarge
	}
}

// classAtEnd is the class behind a warning.
var classAtEnd = regexp.MustCompile(`: warning: .* \[([a-z-]+)\]$`)

func lintWarnings(t *testing.T, path string) (classes []diag.Class) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	files, want := archive.Files[:len(archive.Files)-1], &archive.Files[len(archive.Files)-1]
	for _, f := range files {
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"gateway", "lint"}, streams{http.NoBody, &out, new(bytes.Buffer)}); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if *update {
		want.Data = out.Bytes()
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(string(want.Data), out.String()); d != "" {
		t.Error(d)
	}
	for line := range strings.Lines(out.String()) {
		m := classAtEnd.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || !isClass(m[1]) {
			t.Errorf("no class: %s", line)
			continue
		}
		classes = append(classes, diag.Class(m[1]))
	}
	var strict bytes.Buffer
	err = run(t.Context(), []string{"gateway", "lint", "--strict"}, streams{http.NoBody, &strict, new(bytes.Buffer)})
	if report(new(bytes.Buffer), err) != exitUsage || strict.String() != strings.ReplaceAll(out.String(), ": warning: ", ": ") {
		t.Errorf("--strict: %v\n%s", err, strict.String())
	}
	return classes
}

// TestLintLarge has files that are too large to be written down.
func TestLintLarge(t *testing.T) {
	tool := func(name string, properties, description int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "  %s:\n    description: %s\n    parameters:\n      type: object\n      properties:\n", name, strings.Repeat("w", description))
		for i := range properties {
			fmt.Fprintf(&b, "        p%03d: {type: string, description: An argument of a tool that has many of them}\n", i)
		}
		return b.String() + "    expr: args.p000\n"
	}
	many := func(n, properties int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(tool(fmt.Sprintf("t%04d", i), properties, 20+i%10))
		}
		return b.String()
	}
	tests := []struct {
		name, tools, more string
		want              string
	}{
		{"a description as long as may be", tool("a", 1, 1024), "", ""},
		{"a longer one", tool("a", 1, 1025), "", "tools.yaml:4:5: tools.a.description: warning: the description has more than 1024 characters, which some providers refuse or cut (say first what it is for, and leave the rest to the descriptions of its arguments) [long-description]\n"},
		{"a large schema", tool("a", 200, 10), "", "tools.yaml:5:5: tools.a.parameters: warning: the schema has more than 16000 characters, about 4000 tokens of every request (hide or leave out arguments that models need not know, or write defer: true) [large-schema]\n"},
		{"as many tools as may be", many(127, 1), "", ""}, // and read_result
		{"more", many(128, 1), "", "tools.yaml:2:1: tools: warning: an agent is shown 129 tools at once, and OpenAI and VS Code take at most 128 (write defer: true at those that are seldom needed, so that models search for them, or give each agent a profile) [too-many-tools]\n"},
		{"more than anybody takes, and in a profile", many(513, 1), "profiles: {all: {tools: [\"t*\"]}, few: {tools: [\"t000*\"]}}\n", "tools.yaml:2:1: tools: warning: an agent is shown 514 tools at once, and Gemini takes at most 512, OpenAI and VS Code at most 128 (write defer: true at those that are seldom needed, so that models search for them, or give each agent a profile) [too-many-tools]\n" +
			"tools.yaml:3594:12: profiles.all: warning: an agent is shown 514 tools at once, and Gemini takes at most 512, OpenAI and VS Code at most 128 (write defer: true at those that are seldom needed, so that models search for them, or give each agent a profile) [too-many-tools]\n"},
		{"few large ones", many(40, 40), "", "tools.yaml:2:1: tools: warning: the 41 tools that an agent is shown take about 35716 tokens of every request (write defer: true at those that are seldom needed, so that models search for them, or give each agent a profile) [large-list]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := lintIn(t, "tools.yaml", "version: 1\ntools:\n"+tt.tools+tt.more+"policy: {default: allow}\n")
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestLintIgnore: --ignore leaves out what it names, and refuses what is no class.
func TestLintIgnore(t *testing.T) {
	const text = "version: 1\ntools:\n  find: {expr: '1'}\n"
	for flags, want := range map[string]int{"": 2, "--ignore no-policy": 1, "--ignore no-policy --ignore missing-description --strict": 0, "--ignore no-policy,missing-description": 0, "--ignore long-name": 2} {
		if got := lintIn(t, "tools.yaml", text, strings.Fields(flags)...); strings.Count(got, "\n") != want {
			t.Errorf("%s: %s", flags, got)
		}
	}
	err := run(t.Context(), []string{"gateway", "lint", "--ignore", "no-polic"}, streams{http.NoBody, new(bytes.Buffer), new(bytes.Buffer)})
	if want := `--ignore: there is no class of warnings "no-polic" (did you mean no-policy?)`; err == nil || err.Error() != want || report(new(bytes.Buffer), err) != exitUsage {
		t.Errorf("%v", err)
	}
}

// TestLintShown: what an agent is shown is said, with and without a profile.
func TestLintShown(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `version: 1
tools:
  find: {description: Find a customer., expr: '"ada"'}
  pay: {description: Pay an amount., defer: true, expr: '"paid"'}
  secret: {description: Nobody sees it., expr: '"x"'}
profiles: {support: {tools: [find]}}
policy: {default: allow, rules: [{name: hidden, tools: [secret], action: deny}]}
`
	if err := os.WriteFile("tools.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, talk bytes.Buffer
	if err := run(t.Context(), []string{"gateway", "lint", "--ignore", "unusable-tool"}, streams{http.NoBody, &out, &talk}); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^tools.yaml: ok, 3 tools, 0 warnings
an agent is shown 4 tools, about \d+,?\d+ tokens; 1 more is found by searches, and would take about \d+ in the list
with the profile support: 2 tools, about \d+ tokens
$`)
	if out.Len() > 0 || !want.MatchString(talk.String()) {
		t.Errorf("%s\n%s", out.String(), talk.String())
	}
	out.Reset()
	if err := run(t.Context(), []string{"gateway", "lint", "--ignore", "unusable-tool", "--json"}, streams{http.NoBody, &out, &talk}); err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?s)"problems": \[\],\s+"shown": \[\s+\{\s+"tools": 4,.*"deferred": 1,.*"profile": "support",\s+"tools": 2,`)
	if !shown.MatchString(out.String()) {
		t.Error(out.String())
	}
}

// TestLintPage: the page has a section for each class, in their order, and each warning
// that the code makes has a class.
func TestLintPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, c := range diag.Classes() {
		want = append(want, string(c.Class)+": "+c.Text)
	}
	for _, m := range regexp.MustCompile(`(?m)^### (\S+)\n\n(.*)$`).FindAllStringSubmatch(string(page), -1) {
		got = append(got, m[1]+": "+m[2])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	unclassed := regexp.MustCompile(`(?m)^.*(?:Warnf|WarnTools)\(.*$`)
	for _, pattern := range []string{"../../gateway/*/*.go", "../../policy/*.go", "../../openapi/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "diag/diag.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range unclassed.FindAllString(string(text), -1) {
				if !strings.Contains(line, "As(diag.") && !strings.Contains(line, "As(f.class)") {
					t.Errorf("%s: a warning without a class: %s", file, strings.TrimSpace(line))
				}
			}
		}
	}
}

// fewestClean is how many realistic files TestLintSilent holds at least.
const fewestClean = 20

// TestLintSilent: of files such as teams write them nothing is said, also with --strict.
// An archive holds tools.yaml with what it names, or layers in the order that its
// section "order" gives.
func TestLintSilent(t *testing.T) {
	paths, err := filepath.Glob("testdata/lint-clean/*.txtar")
	if err != nil || len(paths) < fewestClean {
		t.Errorf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			args := []string{"gateway", "lint", "--strict"}
			lines := 0
			for _, f := range archive.Files {
				if lines += bytes.Count(f.Data, []byte("\n")); f.Name == "order" {
					for name := range strings.FieldsSeq(string(f.Data)) {
						args = append(args, "--config", name)
					}
					continue
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(f.Name), 0o700), os.WriteFile(f.Name, f.Data, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			var out, talk bytes.Buffer
			if err := run(t.Context(), args, streams{http.NoBody, &out, &talk}); err != nil || out.Len() > 0 || !strings.Contains(talk.String(), "an agent is shown") {
				t.Errorf("%v\n%s%s", err, out.String(), talk.String())
			}
			if lines < 40 || lines > 150 {
				t.Errorf("%d lines", lines)
			}
		})
	}
}
