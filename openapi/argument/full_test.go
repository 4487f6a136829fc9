package argument_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
)

// parameter is one with a schema.
func parameter(in, name, schema string) spec.Parameter {
	return spec.Parameter{In: in, Name: name, Schema: json.RawMessage(schema)}
}

func optional(b *spec.Body) *spec.Body {
	b.Required = false
	return b
}

// TestFull gives whole schemas.
func TestFull(t *testing.T) {
	t.Parallel()
	described := parameter(spec.InQuery, "$filter", `{"$ref":"#/$defs/f"}`)
	described.Description, described.Deprecated = " What to <b>find</b>. ", true
	old := parameter(spec.InHeader, "X-Old", `true`)
	old.Deprecated = true
	for name, tt := range map[string]struct {
		op          spec.Operation
		definitions string
		want        string
	}{
		"nothing": {spec.Operation{}, "", `{"type":"object","properties":{},"additionalProperties":false}`},
		"parameters": {
			spec.Operation{Parameters: append(parameters("path team", "!query page"), parameter(spec.InQuery, "limit", `{"type":"integer","minimum":1}`))},
			"",
			`{"type":"object","properties":{"team":{"type":"string"},"page":{"type":"string"},"limit":{"type":["integer","null"],"minimum":1}},
			"required":["team","page"],"additionalProperties":false}`,
		},
		"a form of anything": {
			spec.Operation{Body: &spec.Body{Kind: spec.BodyMultipart, Media: "multipart/form-data", Required: true, Schema: json.RawMessage(`{}`)}},
			"",
			`{"type":"object","properties":{"body":{"type":"object"}},"required":["body"],"additionalProperties":false}`,
		},
		"a form of one of two": {
			spec.Operation{Body: optional(&spec.Body{Kind: spec.BodyForm, Schema: json.RawMessage(`{"oneOf":[{"$ref":"#/$defs/a"},true]}`)})},
			`{"a":{"type":"object"}}`,
			`{"type":"object","properties":{"body":{"oneOf":[{"$ref":"#/$defs/a"},true],"type":"object"}},"additionalProperties":false,"$defs":{"a":{"type":"object"}}}`,
		},
		"null for absent": {
			spec.Operation{Parameters: []spec.Parameter{
				parameter(spec.InQuery, "any", `{}`), parameter(spec.InQuery, "yes", `true`), parameter(spec.InQuery, "no", `false`),
				parameter(spec.InQuery, "null", `{"type":["string","null"]}`), parameter(spec.InQuery, "words", `{"type":"string","enum":["a"]}`),
				parameter(spec.InQuery, "one", `{"const":1}`), parameter(spec.InQuery, "either", `{"type":"string","anyOf":[{}]}`),
				parameter(spec.InQuery, "ref", `{"$ref":"#/$defs/n"}`), parameter(spec.InQuery, "bad", `{"type":["string","null"],"not":{"type":"null"}}`),
			}},
			`{"n":{"anyOf":[{"type":"string"},{"type":"null"}]}}`,
			`{"type":"object","properties":{"any":{},"yes":true,"no":{"anyOf":[false,{"type":"null"}]},
			"null":{"type":["string","null"]},"words":{"type":["string","null"],"enum":["a",null]},
			"one":{"anyOf":[{"const":1},{"type":"null"}]},"either":{"anyOf":[{"type":"string","anyOf":[{}]},{"type":"null"}]},
			"ref":{"$ref":"#/$defs/n"},"bad":{"anyOf":[{"type":["string","null"],"not":{"type":"null"}},{"type":"null"}]}},
			"additionalProperties":false,"$defs":{"n":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`,
		},
		"another name": {
			spec.Operation{Parameters: []spec.Parameter{described}},
			`{"f":{"type":"string","description":"F."}}`,
			`{"type":"object","properties":{"filter":{"anyOf":[{"$ref":"#/$defs/f","deprecated":true,"description":"What to <b>find</b>.\nSent as query parameter ` + "`$filter`" + `."},{"type":"null"}]}},
			"additionalProperties":false,"$defs":{"f":{"type":"string","description":"F."}}}`,
		},
		"of a header, of anything": {
			spec.Operation{Parameters: []spec.Parameter{old, parameter(spec.InHeader, "X Y", `true`), parameter(spec.InCookie, strings.Repeat("ö", 70)+"a", `{}`)}},
			"",
			`{"type":"object","properties":{"X-Old":{"deprecated":true},"X_Y":{"description":"Sent as header ` + "`X Y`" + `."},
			"a":{"description":"Sent as cookie ` + "`" + strings.Repeat("ö", 64) + "…`" + `."}},"additionalProperties":false}`,
		},
		"fields": {
			spec.Operation{Parameters: parameters("path id"), Body: jsonBody(`{"type":"object","properties":{"id":{"type":"integer"},"x[]":{"type":"string","description":"X."}},"required":["id"]}`)},
			"",
			`{"type":"object","properties":{"path_id":{"type":"string","description":"Sent as path parameter ` + "`id`" + `."},
			"body_id":{"type":"integer","description":"Sent as body property ` + "`id`" + `."},"x":{"type":"string","description":"X.\nSent as body property ` + "`x[]`" + `."}},
			"required":["path_id","body_id"],"additionalProperties":false}`,
		},
		"fields of a body that may be left out": {
			spec.Operation{Parameters: parameters("path id"), Body: optional(jsonBody(`{"$ref":"#/$defs/run"}`))},
			`{"run":{"type":"object","required":["env","as"],"properties":{"env":{"type":"string"},"as":true,"dry":{"type":"boolean"}}}}`,
			`{"type":"object","properties":{"id":{"type":"string"},"env":{"type":"string"},"as":true,"dry":{"type":"boolean"}},
			"required":["id"],"additionalProperties":false,"dependentRequired":{"env":["as"],"as":["env"],"dry":["env","as"]}}`,
		},
		"one field of a body that may be left out": {
			spec.Operation{Body: optional(jsonBody(`{"required":["env"],"properties":{"env":{}}}`))},
			"",
			`{"type":"object","properties":{"env":{}},"additionalProperties":false}`,
		},
		"open": {
			spec.Operation{Body: jsonBody(`{"properties":{"a":{}},"required":["z"],"additionalProperties":{"$ref":"#/$defs/v"}}`)},
			`{"v":{"type":"string"}}`,
			`{"type":"object","properties":{"a":{},"z":{"$ref":"#/$defs/v"}},"required":["z"],"additionalProperties":{"$ref":"#/$defs/v"},"$defs":{"v":{"type":"string"}}}`,
		},
		"both branches": {
			spec.Operation{Body: jsonBody(`{"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"a":{"minimum":1}}}]}`)},
			"",
			`{"type":"object","properties":{"a":{"allOf":[{"type":"integer"},{"minimum":1}]}},"additionalProperties":false}`,
		},
		"a list": {
			spec.Operation{Parameters: parameters("!query values"), Body: jsonBody(`{"title":"Values","type":"array","items":{"type":"integer"}}`)},
			"",
			`{"type":"object","properties":{"values":{"type":"string"},"body":{"title":"Values","type":"array","items":{"type":"integer"}}},"required":["values","body"],"additionalProperties":false}`,
		},
		"a list that may be left out": {
			spec.Operation{Body: &spec.Body{Kind: spec.BodyJSON, Description: "What.", Schema: json.RawMessage(`{"type":"array"}`)}},
			"",
			`{"type":"object","properties":{"body":{"type":"array","description":"What."}},"additionalProperties":false}`,
		},
		"bytes": {
			spec.Operation{Body: &spec.Body{Kind: spec.BodyBinary, Media: "image/png", Required: true, Description: "A picture.", Schema: json.RawMessage(`{}`)}},
			"",
			`{"type":"object","properties":{"body":{"type":"string","contentEncoding":"base64","description":"A picture.\nThe bytes to send, as image/png, in base64."}},
			"required":["body"],"additionalProperties":false}`,
		},
		"a text of something else": {
			spec.Operation{Body: &spec.Body{Kind: spec.BodyText, Media: "application/xml", Required: true, Schema: json.RawMessage(object("a"))}},
			"",
			`{"type":"object","properties":{"body":{"type":"string","description":"The text to send, as application/xml."}},"required":["body"],"additionalProperties":false}`,
		},
		"a text": {
			spec.Operation{Body: &spec.Body{Kind: spec.BodyText, Media: "text/plain", Required: true, Schema: json.RawMessage(`{"type":"string","maxLength":9}`)}},
			"",
			`{"type":"object","properties":{"body":{"type":"string","maxLength":9}},"required":["body"],"additionalProperties":false}`,
		},
		"only what is reached": {
			spec.Operation{Body: jsonBody(`{"properties":{"b":{"$ref":"#/$defs/b"}}}`)},
			`{"a":{"type":"string"},"b":{"items":{"$ref":"#/$defs/c"}},"c":{"properties":{"b":{"$ref":"#/$defs/b"},"$ref":{}},"default":{"$ref":"#/$defs/a"}}}`,
			`{"type":"object","properties":{"b":{"$ref":"#/$defs/b"}},"additionalProperties":false,
			"$defs":{"b":{"items":{"$ref":"#/$defs/c"}},"c":{"properties":{"b":{"$ref":"#/$defs/b"},"$ref":{}},"default":{"$ref":"#/$defs/a"}}}}`,
		},
		"a definition that is not there": {
			spec.Operation{Body: jsonBody(`{"properties":{"b":{"$ref":"#/$defs/gone"}}}`)},
			"",
			`{"type":"object","properties":{"b":{"$ref":"#/$defs/gone"}},"additionalProperties":false,"$defs":{"gone":{}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := argument.New(inputs(t, tt.definitions))
			b.Arrange(&tt.op)
			got := b.Full(&tt.op)
			s := compiles(t, got)
			if diff := cmp.Diff(indented(t, tt.want), indented(t, string(got))); diff != "" {
				t.Error(diff)
			}
			outline := b.Outline(&tt.op)
			names, closed := s.Properties()
			if diff := cmp.Diff(names, outline.Names); diff != "" || closed != outline.Closed {
				t.Errorf("the outline is closed: %t\n%s", outline.Closed, diff)
			}
			if diff := cmp.Diff(required(t, got), outline.Required); diff != "" {
				t.Errorf("the outline requires\n%s", diff)
			}
		})
	}
}

// required is what a schema requires at its top.
func required(t *testing.T, text json.RawMessage) []string {
	t.Helper()
	var s struct{ Required []string }
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s.Required
}

// indented writes a JSON text in one way, with its members in their order.
func indented(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String()
		}
		out, _ := json.Marshal(token)
		if d, ok := token.(json.Delim); ok {
			out = []byte(d.String())
		}
		b.Write(out)
		b.WriteByte('\n')
	}
}

// TestFullVerdicts checks arguments.
func TestFullVerdicts(t *testing.T) {
	t.Parallel()
	run := spec.Operation{
		Parameters: append(parameters("path id"), parameter(spec.InQuery, "limit", `{"type":"integer"}`), parameter(spec.InQuery, "sort", `{"$ref":"#/$defs/sort"}`)),
		Body:       optional(jsonBody(`{"required":["env"],"properties":{"env":{"type":"string"},"dry":{"type":"boolean"}}}`)),
	}
	open := spec.Operation{Body: jsonBody(`{"properties":{"pet":{"$ref":"#/$defs/pet"}},"required":["pet"],"additionalProperties":{"type":"integer"}}`)}
	labels := spec.Operation{Body: jsonBody(`{"type":"object","additionalProperties":{"type":"string"}}`)}
	definitions := `{"sort":{"enum":["up","down"]},
		"pet":{"anyOf":[{"$ref":"#/$defs/cat"},{"$ref":"#/$defs/dog"}]},
		"base":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}},
		"cat":{"allOf":[{"$ref":"#/$defs/base"},{"required":["claws"],"properties":{"claws":{"type":"integer"}}}]},
		"dog":{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"bark":{"type":"boolean"}}}]}}`
	b := argument.New(inputs(t, definitions))
	for _, op := range []*spec.Operation{&run, &open, &labels} {
		b.Arrange(op)
	}
	for _, tt := range []struct {
		op   *spec.Operation
		args string
		want string // what the error says; "" for none
	}{
		{&run, `{"id":"1"}`, ""},
		{&run, `{"id":"1","env":"x"}`, ""},
		{&run, `{"id":"1","env":"x","dry":true}`, ""},
		{&run, `{"id":"1","dry":true}`, "env: is required when dry is given"},
		{&run, `{"env":"x"}`, "id: is required"},
		{&run, `{"id":null}`, "id: must be text"},
		{&run, `{"id":"1","limit":null,"sort":null}`, ""},
		{&run, `{"id":"1","limit":"3"}`, ""}, // cast
		{&run, `{"id":"1","limit":"x"}`, "limit: must be a whole number or null"},
		{&run, `{"id":"1","sort":"left"}`, `sort: must be one of "up", "down"`},
		{&run, `{"id":"1","env":null}`, "env: must be text"},
		{&run, `{"id":"1","other":1}`, "other: "},
		{&open, `{"pet":{"kind":"cat","claws":9},"more":7}`, ""},
		{&open, `{"pet":{"kind":"dog","bark":true}}`, ""},
		{&open, `{"pet":{"claws":9}}`, "kind is required but missing"},
		{&open, `{"pet":{"kind":"dog"},"more":[]}`, "more: must be a whole number"},
		{&open, `{}`, "pet: is required"},
		{&labels, `{"body":{"team":"infra"}}`, ""},
		{&labels, `{"body":{"team":[]}}`, "body.team: must be text"},
		{&labels, `{"team":"infra"}`, "body: is required"},
	} {
		s := later(b, tt.op)
		args, err := s.Normalise(json.RawMessage(tt.args))
		if err != nil {
			t.Fatal(err)
		}
		err = s.Validate(s.Cast(args))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.args, err, tt.want)
		}
	}
}
