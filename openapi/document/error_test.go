package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// TestParseErrors holds what is said of bad texts, word for word.
func TestParseErrors(t *testing.T) {
	deep := document.MaxDepth + 1
	cases := []struct{ name, file, text, want string }{
		{"empty", "a.json", " \n", "a.json: the file is empty"},
		{"empty, byte order mark", "a.yaml", "\ufeff", "a.yaml: the file is empty"},
		{"comments alone", "a.yaml", "# nothing\n---\n# here\n", "a.yaml: the file is empty"},
		{"cut JSON", "a.json", `{"a":`, "a.json:1:6: not valid JSON: the text ends where a value should stand"},
		{"text in a JSON file", "a.json", "Not found", "a.json:1:1: not valid JSON: a value should stand here, not 'N'"},
		{"JSON of no name", "x", `{"a": "b" "c"}`, "x:1:11: not valid JSON: a comma or } should stand here, not '\"'"},
		{"the same in YAML", "x.yml", `{"a": "b" "c"}`, "x.yml:1:11: not valid YAML: while parsing a flow mapping: did not find expected ',' or '}'"},

		{"mapping in a value", "a.yaml", "é: b: c\n", "a.yaml:1:6: not valid YAML: mapping values are not allowed in this context"},
		{"indent", "a.yaml", "a:\n  b: 1\n c: 2\n", "a.yaml:3:2: not valid YAML: while parsing a block mapping: did not find expected key"},
		{"alias of nothing", "a.yaml", "a: [ü, *b]\n", "a.yaml:1:9: not valid YAML: unknown anchor 'b' referenced"},
		{"cycle", "a.yaml", "a: &a\n  b: [*a]\n", "a.yaml:2:7: the alias *a stands inside the value it stands for"},
		{"tab", "a.yaml", "a:\n\tb: 1\n", "a.yaml:2:1: not valid YAML: while scanning for the next token: found character that cannot start any token"},
		{"control character", "a.yaml", "a: b\nc: \x01\n", "a.yaml:2:4: not valid YAML: a file cannot hold the character U+0001"},
		{"not a character", "a.yaml", "a: \uffff\n", "a.yaml:1:4: not valid YAML: a file cannot hold the character U+FFFF"},
		{"line ends of YAML alone", "a.yaml", "a: \"x\u2028y\"\nb: [", "a.yaml:2:5: not valid YAML: while parsing a flow node: did not find expected node content"},
		{"HTML", "a.yaml", "<!DOCTYPE html>\n<html><body>a: b</body></html>", "a.yaml:1:1: not JSON or YAML: it starts with <, as HTML and XML do"},
		{"HTML that is YAML", "x", "<html>hello</html>", "x:1:1: not JSON or YAML: it starts with <, as HTML and XML do"},
		{"XML", "x", "<?xml version='1.0'?>\n<a b='c: d'/>", "x:1:1: not JSON or YAML: it starts with <, as HTML and XML do"},
		{"deep block", "a.yaml", strings.Repeat("- ", deep+1) + "a", "a.yaml:1:1001: maps and lists lie more than 500 levels deep here"},
		{"deep flow", "a.yaml", "a: " + strings.Repeat("[", deep) + strings.Repeat("]", deep), "a.yaml:1:504: maps and lists lie more than 500 levels deep here"},
		{"large key", "a.yaml", "? [" + strings.Repeat("a,", 200) + "]\n: b\n", "a.yaml:1:3: a key cannot hold more than 100 values"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := document.Parse(c.file, []byte(c.text))
			if n != nil || err == nil {
				t.Fatalf("it reads %s", n.JSON())
			}
			if _, ok := errors.AsType[*document.Error](err); !ok {
				t.Errorf("the error is %T", err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestParseJSONErrors holds what is said of texts that are not JSON, word for
// word, where YAML does not help.
func TestParseJSONErrors(t *testing.T) {
	deep := document.MaxDepth + 1
	cases := []struct{ name, text, want string }{
		{"trailing comma", "{\n  \"é\": 1,\n}", "a.json:3:1: not valid JSON: a name in double quotes should stand here, not '}'"},
		{"no colon", `{"a" 1}`, "a.json:1:6: not valid JSON: a colon should stand here, not '1'"},
		{"no comma", "[1\n 2]", "a.json:2:2: not valid JSON: a comma or ] should stand here, not '2'"},
		{"no comma in object", `{"é":1;`, "a.json:1:8: not valid JSON: a comma or } should stand here, not ';'"},
		{"cut", `{"a":`, "a.json:1:6: not valid JSON: the text ends where a value should stand"},
		{"cut string", `{"a":"x`, "a.json:1:8: not valid JSON: a string does not end"},
		{"cut string with escapes", `{"a":"\n`, "a.json:1:9: not valid JSON: a string does not end"},
		{"escape", `["\x41"]`, "a.json:1:3: not valid JSON: a string holds an escape that JSON does not have"},
		{"hex escape", `["x\u+123"]`, "a.json:1:4: not valid JSON: a string holds an escape that JSON does not have"},
		{"line end in string", "[\"a\nb\"]", "a.json:1:4: not valid JSON: a string cannot hold the character U+000A as it is"},
		{"tab after escape", "[\"\\n\t\"]", "a.json:1:5: not valid JSON: a string cannot hold the character U+0009 as it is"},
		{"number", `[-x]`, "a.json:1:2: not valid JSON: a number is not written as JSON has it"},
		{"zeros", `[01]`, "a.json:1:3: not valid JSON: a comma or ] should stand here, not '1'"},
		{"word", "[nul]", "a.json:1:2: not valid JSON: a value should stand here, not 'n'"},
		{"two values", "{}\n{}", "a.json:2:1: not valid JSON: text after the end of the value"},
		{"deep JSON", strings.Repeat("[", deep) + strings.Repeat("]", deep), "a.json:1:501: objects and arrays lie more than 500 levels deep here"},
		{"values", "[1" + strings.Repeat(",1", 700) + "]", "a.json:1:1202: there are more than 601 values"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := document.ParseJSON("a.json", c.text, 100+deep)
			if n != nil || err == nil {
				t.Fatalf("it reads %s", n.JSON())
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestParseLimits refuses texts that would take too much, before they do.
func TestParseLimits(t *testing.T) {
	cases := []struct {
		name, file string
		text       []byte
		want       string
	}{
		{"size", "a.json", make([]byte, document.MaxSize+1), "a.json: the file is larger than 128 MiB"},
		{"values", "a.json", append(bytes.Repeat([]byte("[1,"), 1), append(bytes.Repeat([]byte("1,"), document.MaxNodes), "1]"...)...), "a.json:1:4000000: there are more than 2000000 values"},
		{"values of YAML", "a.yaml", bytes.Repeat([]byte("-\n"), document.MaxMarks), "a.yaml: the file may hold too many values to be read as YAML; write it as JSON"},
		{"laughs", "a.yaml", laughs(9, 10), "a.yaml:8:8: there are more than 2000000 values, with those that aliases stand for"},
		{"deep aliases", "a.yaml", laughs(600, 1), "a.yaml:501:10: with this alias maps and lists lie more than 500 levels deep"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := document.Parse(c.file, c.text)
			if err == nil {
				t.Fatal("it reads")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// laughs is a list of lists, each of which holds the one before it many times.
func laughs(levels, times int) []byte {
	var b bytes.Buffer
	b.WriteString("- &a0 x\n")
	for i := range levels {
		fmt.Fprintf(&b, "- &a%d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), times), ","))
	}
	return b.Bytes()
}

// TestPlaces holds where values stand.
func TestPlaces(t *testing.T) {
	cases := []struct{ name, file, text, want string }{
		{"JSON", "a.json", "\ufeff{\n  \"é\": [1, \"x\"],\r\n\t\"b\": {\"c\": null}}", "1:1 2:9 2:10 2:13 3:7 3:13"},
		{"YAML", "a.yaml", "é: [1, x]\nb:\n  ü: {c: &a d}\ne: *a\nf: |\n  g\n", "1:1 1:5 1:6 1:9 3:3 3:7 3:11 3:11 5:4"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := document.Parse(c.file, []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, strings.TrimSpace(places(n))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func places(n *document.Node) string {
	out := fmt.Sprintf(" %d:%d", n.Line, n.Column)
	for i := range n.Members {
		out += places(&n.Members[i].Value)
	}
	return out
}
