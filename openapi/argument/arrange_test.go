package argument_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
)

// parameters makes parameters of texts "in name", with a "!" before the place of
// those that are required.
func parameters(all ...string) []spec.Parameter {
	var out []spec.Parameter
	for _, s := range all {
		in, name, _ := strings.Cut(s, " ")
		in, required := strings.CutPrefix(in, "!")
		out = append(out, spec.Parameter{Name: name, In: in, Required: required, Style: spec.StyleForm, Schema: json.RawMessage(`{"type":"string"}`)})
	}
	return out
}

func jsonBody(text string) *spec.Body {
	return &spec.Body{Kind: spec.BodyJSON, Media: "application/json", Required: true, Schema: json.RawMessage(text)}
}

// inputs reads definitions.
func inputs(t testing.TB, text string) map[string]json.RawMessage {
	t.Helper()
	var out map[string]json.RawMessage
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// names lists the arguments of an operation.
func names(op *spec.Operation) []string {
	var out []string
	for _, p := range op.Parameters {
		out = append(out, p.Arg)
	}
	if op.Body == nil {
		return out
	}
	if op.Body.Arg != "" {
		return append(out, op.Body.Arg)
	}
	for _, f := range op.Body.Fields {
		out = append(out, f.Arg)
	}
	return out
}

// object is a schema of an object with properties of any kind.
func object(properties ...string) string {
	var all []string
	for _, name := range properties {
		all = append(all, fmt.Sprintf("%q:{}", name))
	}
	return `{"type":"object","properties":{` + strings.Join(all, ",") + `}}`
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	for name, tt := range map[string]struct {
		parameters []string
		body       string // "" for none
		want       []string
	}{
		"as they are":              {[]string{"path id", "query user.name", "query class", "header X-Trace-Id"}, "", []string{"id", "user.name", "class", "X-Trace-Id"}},
		"brackets and dollars":     {[]string{"query project_ids[]", "query $filter", "query filter[name][eq]", "query a  b"}, "", []string{"project_ids", "filter", "filter_name_eq", "a_b"}},
		"underscores":              {[]string{"query _id", "query __x__", "query _a[]", "query a_[b]", "query $_"}, "", []string{"_id", "__x__", "_a", "a_b", "arg"}},
		"case stays":               {[]string{"query ID", "query id"}, "", []string{"ID", "id"}},
		"no letter of ours":        {[]string{"query 名前"}, "", []string{"arg"}},
		"two of those":             {[]string{"query 名前", "query 住所", "query naïve"}, "", []string{"query_arg", "query_arg_2", "na_ve"}},
		"no name":                  {[]string{"query "}, "", []string{"arg"}},
		"too long":                 {[]string{"query " + long}, "", []string{long[:55] + "_c71bd109"}},
		"too long, alike":          {[]string{"query " + long + "a", "query " + long + "b"}, "", []string{long[:55] + "_6e42a575", long[:55] + "_d6fc6fd3"}},
		"one name twice":           {[]string{"path id", "query id"}, "", []string{"path_id", "query_id"}},
		"everywhere":               {[]string{"path id", "query id", "header id", "cookie id"}, object("id", "x"), []string{"path_id", "query_id", "header_id", "cookie_id", "body_id", "x"}},
		"equal when legal":         {[]string{"query ids", "query ids[]"}, "", []string{"query_ids", "query_ids_2"}},
		"three alike":              {[]string{"query a", "query a[]", "query $a"}, "", []string{"query_a", "query_a_2", "query_a_3"}},
		"with its place is taken":  {[]string{"path id", "query id", "query path_id"}, "", []string{"path_id_2", "query_id", "path_id"}},
		"numbers are taken":        {[]string{"query a", "query a[]", "query query_a_2"}, "", []string{"query_a", "query_a_3", "query_a_2"}},
		"the gateway's":            {[]string{"query toolcall_reason"}, object("b"), []string{"query_toolcall_reason", "b"}},
		"the gateway's, elsewhere": {nil, object("toolcall_reason"), []string{"body_toolcall_reason"}},
		"body":                     {[]string{"query values"}, `{"type":"array"}`, []string{"values", "body"}},
		"body and body":            {[]string{"query body"}, `{"type":"array"}`, []string{"body", "request_body"}},
		"body, body and body":      {[]string{"query body", "header body"}, `{"type":"array"}`, []string{"query_body", "header_body", "request_body"}},
		"body and its other name":  {[]string{"query body", "query request_body"}, `{"type":"array"}`, []string{"body", "request_body", "request_body_2"}},
		"a property named body":    {[]string{"query body"}, object("body"), []string{"query_body", "body_body"}},
		"a property of no name":    {nil, object("", "a"), []string{"arg", "a"}},
		"place of a long name":     {[]string{"path " + long[:64], "query " + long[:64]}, "", []string{"path_" + long[:50] + "_6eeb3bfa", "query_" + long[:49] + "_bbf0aedd"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			op := &spec.Operation{Parameters: parameters(tt.parameters...)}
			if tt.body != "" {
				op.Body = jsonBody(tt.body)
			}
			argument.New(nil).Arrange(op)
			if diff := cmp.Diff(tt.want, names(op)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNamesAreStable adds a parameter that nobody else wants the name of, at each
// place.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	all := []string{"path id", "query id", "query a[]", "query a", "query body", "query ünder", "header X"}
	before := &spec.Operation{Parameters: parameters(all...), Body: jsonBody(`{"type":"array"}`)}
	argument.New(nil).Arrange(before)
	for i := range len(all) + 1 {
		more := append(append(append([]string{}, all[:i]...), "query another"), all[i:]...)
		after := &spec.Operation{Parameters: parameters(more...), Body: jsonBody(`{"type":"array"}`)}
		argument.New(nil).Arrange(after)
		got := names(after)
		got = append(got[:i:i], got[i+1:]...)
		if diff := cmp.Diff(names(before), got); diff != "" {
			t.Errorf("with another at %d\n%s", i, diff)
		}
	}
}

func TestFlattening(t *testing.T) {
	t.Parallel()
	const flat, open, whole = "flat", "open", "whole"
	definitions := `{"pet":{"type":"object","properties":{"name":{},"age":{}},"required":["name"]},
		"chain":{"$ref":"#/$defs/pet"},"closed":{"properties":{"c":{}},"additionalProperties":false},
		"union":{"oneOf":[{"$ref":"#/$defs/pet"}]},"self":{"allOf":[{"$ref":"#/$defs/self"},{"properties":{"a":{}}}]},
		"map":{"type":"object","additionalProperties":{"type":"string"}}}`
	for name, tt := range map[string]struct {
		schema string
		how    string
		fields []string
	}{
		"properties":                  {object("a", "b"), flat, []string{"a", "b"}},
		"no type":                     {`{"properties":{"a":{}},"title":"T","description":"D","default":{}}`, flat, []string{"a"}},
		"type in a list":              {`{"type":["object"],"properties":{"a":{}}}`, flat, []string{"a"}},
		"closed":                      {`{"properties":{"a":{}},"additionalProperties":false}`, flat, []string{"a"}},
		"open":                        {`{"properties":{"a":{}},"additionalProperties":true}`, open, []string{"a"}},
		"open to some":                {`{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, open, []string{"a"}},
		"a reference":                 {`{"$ref":"#/$defs/pet"}`, flat, []string{"name", "age"}},
		"a reference to one":          {`{"$ref":"#/$defs/chain","description":"D"}`, flat, []string{"name", "age"}},
		"a reference to nothing":      {`{"$ref":"#/$defs/gone"}`, whole, nil},
		"another reference":           {`{"$ref":"#"}`, whole, nil},
		"beside a reference":          {`{"$ref":"#/$defs/pet","properties":{"tag":{}}}`, flat, []string{"name", "age", "tag"}},
		"all of":                      {`{"allOf":[{"$ref":"#/$defs/pet"},{"properties":{"age":{"type":"integer"},"tag":{}}},true]}`, flat, []string{"name", "age", "tag"}},
		"all of, one closed":          {`{"allOf":[{"$ref":"#/$defs/pet"},{"$ref":"#/$defs/closed"}]}`, whole, nil},
		"all of, closed alone":        {`{"allOf":[{"$ref":"#/$defs/closed"},{"description":"D"}]}`, flat, []string{"c"}},
		"closed beside a reference":   {`{"$ref":"#/$defs/pet","additionalProperties":false}`, whole, nil},
		"all of, open":                {`{"allOf":[{"$ref":"#/$defs/pet"},{"additionalProperties":true}]}`, open, []string{"name", "age"}},
		"all of, open to some":        {`{"allOf":[{"$ref":"#/$defs/pet"},{"$ref":"#/$defs/map"}]}`, whole, nil},
		"all of, one a union":         {`{"allOf":[{"$ref":"#/$defs/pet"},{"$ref":"#/$defs/union"}]}`, whole, nil},
		"all of itself":               {`{"$ref":"#/$defs/self"}`, whole, nil},
		"required, not described":     {`{"properties":{"a":{}},"required":["z"]}`, flat, []string{"a", "z"}},
		"required, refused":           {`{"properties":{"a":{}},"required":["z"],"additionalProperties":false}`, whole, nil},
		"no properties":               {`{"type":"object"}`, whole, nil},
		"empty properties":            {`{"type":"object","properties":{}}`, whole, nil},
		"closed, no properties":       {`{"type":"object","properties":{},"additionalProperties":false}`, flat, nil},
		"closed, perhaps no object":   {`{"properties":{},"additionalProperties":false}`, whole, nil},
		"closed, something required":  {`{"type":"object","required":["a"],"additionalProperties":false}`, whole, nil},
		"a map":                       {`{"$ref":"#/$defs/map"}`, whole, nil},
		"a list":                      {`{"type":"array","items":{}}`, whole, nil},
		"a text":                      {`{"type":"string"}`, whole, nil},
		"anything":                    {`{}`, whole, nil},
		"true":                        {`true`, whole, nil},
		"false":                       {`false`, whole, nil},
		"no JSON":                     {`{"type":`, whole, nil},
		"null too":                    {`{"type":["object","null"],"properties":{"a":{}}}`, whole, nil},
		"oneOf":                       {`{"properties":{"a":{}},"oneOf":[{}]}`, whole, nil},
		"anyOf":                       {`{"properties":{"a":{}},"anyOf":[{}]}`, whole, nil},
		"not":                         {`{"properties":{"a":{}},"not":{}}`, whole, nil},
		"if":                          {`{"properties":{"a":{}},"if":{}}`, whole, nil},
		"minProperties":               {`{"properties":{"a":{}},"minProperties":1}`, whole, nil},
		"maxProperties":               {`{"properties":{"a":{}},"maxProperties":1}`, whole, nil},
		"patternProperties":           {`{"properties":{"a":{}},"patternProperties":{}}`, whole, nil},
		"propertyNames":               {`{"properties":{"a":{}},"propertyNames":{}}`, whole, nil},
		"dependentRequired":           {`{"properties":{"a":{}},"dependentRequired":{}}`, whole, nil},
		"dependentSchemas":            {`{"properties":{"a":{}},"dependentSchemas":{}}`, whole, nil},
		"unevaluatedProperties":       {`{"properties":{"a":{}},"unevaluatedProperties":false}`, whole, nil},
		"enum":                        {`{"properties":{"a":{}},"enum":[{}]}`, whole, nil},
		"const":                       {`{"properties":{"a":{}},"const":{}}`, whole, nil},
		"a keyword that nobody knows": {`{"properties":{"a":{}},"discriminator":{}}`, whole, nil},
	} {
		for _, kind := range []string{spec.BodyJSON, spec.BodyForm, spec.BodyMultipart} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				op := &spec.Operation{Body: &spec.Body{Kind: kind, Schema: json.RawMessage(tt.schema)}}
				argument.New(inputs(t, definitions)).Arrange(op)
				how := flat
				switch {
				case op.Body.Arg != "":
					how = whole
				case op.Body.Open:
					how = open
				}
				var fields []string
				for _, f := range op.Body.Fields {
					fields = append(fields, f.Name)
				}
				if diff := cmp.Diff(tt.fields, fields); diff != "" || how != tt.how {
					t.Errorf("%s, want %s; fields\n%s", how, tt.how, diff)
				}
			})
		}
	}
	for _, kind := range []string{spec.BodyText, spec.BodyBinary} {
		op := &spec.Operation{Body: &spec.Body{Kind: kind, Schema: json.RawMessage(object("a"))}}
		if argument.New(nil).Arrange(op); op.Body.Arg != "body" || op.Body.Fields != nil {
			t.Errorf("%s: %+v", kind, op.Body)
		}
	}
}

// TestDefinitionsThatDouble ends soon where each definition names the next one
// twice.
func TestDefinitionsThatDouble(t *testing.T) {
	t.Parallel()
	definitions := map[string]json.RawMessage{"d60": json.RawMessage(object("a"))}
	for i := range 60 {
		definitions[fmt.Sprintf("d%d", i)] = json.RawMessage(fmt.Sprintf(`{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i+1))
	}
	op := &spec.Operation{Parameters: parameters("query x"), Body: jsonBody(`{"$ref":"#/$defs/d0"}`)}
	b := argument.New(definitions)
	b.Arrange(op)
	if op.Body.Arg != "body" {
		t.Errorf("flattened: %+v", op.Body)
	}
	compiles(t, b.Full(op))
	for _, budget := range []int{0, 1_000, 100_000} {
		compiles(t, b.Shown(op, budget))
	}
}

// TestUnionsThatMultiply ends soon where each definition is a union of the next
// one many times.
func TestUnionsThatMultiply(t *testing.T) {
	t.Parallel()
	definitions := map[string]json.RawMessage{"d15": json.RawMessage(`{"type":"string"}`)}
	for i := range 15 {
		branches := strings.Repeat(fmt.Sprintf(`{"$ref":"#/$defs/d%d"},`, i+1), 30)
		definitions[fmt.Sprintf("d%d", i)] = json.RawMessage(`{"anyOf":[` + strings.TrimSuffix(branches, ",") + `]}`)
	}
	op := &spec.Operation{Parameters: []spec.Parameter{parameter(spec.InQuery, "q", `{"$ref":"#/$defs/d0"}`)}}
	b := argument.New(definitions)
	b.Arrange(op)
	compiles(t, b.Full(op))
	for _, budget := range []int{0, 1_000, 100_000} {
		compiles(t, b.Shown(op, budget))
	}
}

// TestArrangeAgain gives what it gave before.
func TestArrangeAgain(t *testing.T) {
	t.Parallel()
	op := &spec.Operation{Parameters: parameters("path id", "query id"), Body: jsonBody(object("id"))}
	b := argument.New(nil)
	b.Arrange(op)
	first, _ := json.Marshal(op)
	b.Arrange(op)
	again, _ := json.Marshal(op)
	if diff := cmp.Diff(string(first), string(again)); diff != "" {
		t.Error(diff)
	}
}

func compiles(t testing.TB, text json.RawMessage) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s
}
