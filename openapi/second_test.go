package openapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolgate/toolgate/openapi/document"
)

// judge is a second opinion on arguments, by the schemas that the document itself
// has.
type judge interface {
	// judges says what is wrong with the arguments of a golden request; empty for
	// nothing.
	judges(g *golden) (string, error)
}

// text is a document as JSON, with numbers as they are written.
func text(t *testing.T, name string) []byte {
	t.Helper()
	set, err := document.Open(context.Background(), document.Options{Path: filepath.Join(testdata(t), "openapi/specs", name)})
	if err != nil {
		t.Fatal(err)
	}
	return set.Main().Root.JSON()
}

// kin loads a document with kin-openapi, and converts one of Swagger 2.0; an error
// when it cannot.
func kin(t *testing.T, name string) (*openapi3.T, error) {
	t.Helper()
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	d, err := loader.LoadFromFile(filepath.Join(testdata(t), "openapi/specs", name))
	if err != nil || d.OpenAPI != "" {
		return d, err
	}
	var old openapi2.T
	if err := json.Unmarshal(text(t, name), &old); err != nil {
		return nil, err
	}
	return openapi2conv.ToV3(&old)
}

// second is the judge of a document: kin-openapi where it reads the document and
// schemas are OpenAPI's own, else the MCP SDK's JSON Schema.
func second(t *testing.T, name string) judge {
	t.Helper()
	if d, err := kin(t, name); err == nil && !d.IsOpenAPI31OrLater() {
		return kinJudge{d}
	}
	var root map[string]any
	if err := json.Unmarshal(text(t, name), &root); err != nil {
		t.Fatal(err)
	}
	return sdkJudge{root: root}
}

// body is what the body of a golden request is made of; nil for none.
func (g *golden) body() any {
	body := g.Args.Body
	form := map[string]any{}
	for key, v := range g.Args.Params {
		if name, ok := strings.CutPrefix(key, "formData."); ok {
			form[name], body = v, form
		}
		if strings.HasPrefix(key, "body.") {
			body = v
		}
	}
	return body
}

// kinJudge has a document that kin-openapi read.
type kinJudge struct{ *openapi3.T }

func (d kinJudge) judges(g *golden) (string, error) {
	method, path, _ := strings.Cut(g.Operation, " ")
	item := d.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		return "", fmt.Errorf("no operation %s", g.Operation)
	}
	op := item.GetOperation(method)
	var wrong []string
	for _, ref := range slices.Concat(op.Parameters, item.Parameters) {
		p := ref.Value
		if op.Parameters.GetByInAndName(p.In, p.Name) != nil && !slices.Contains(op.Parameters, ref) || isIgnored(p.In, p.Name) {
			continue
		}
		v, ok := g.Args.Params[p.In+"."+p.Name]
		if !ok {
			if p.Required {
				wrong = append(wrong, p.Name+": missing")
			}
			continue
		}
		schema := p.Schema
		for _, media := range p.Content {
			schema = media.Schema
		}
		wrong = append(wrong, kinFinds(p.Name, schema, v)...)
	}
	if op.RequestBody != nil {
		wrong = append(wrong, kinBody(op.RequestBody.Value, g)...)
	}
	return strings.Join(wrong, "; "), nil
}

func kinBody(b *openapi3.RequestBody, g *golden) []string {
	body := g.body()
	if body == nil {
		if b.Required {
			return []string{"body: missing"}
		}
		return nil
	}
	media := b.Content.Get(g.Args.ContentType)
	if media == nil {
		for _, one := range b.Content {
			media = one
		}
	}
	if media == nil {
		return nil
	}
	return kinFinds("body", media.Schema, body)
}

func kinFinds(name string, schema *openapi3.SchemaRef, v any) []string {
	if schema == nil || schema.Value == nil {
		return nil
	}
	err := schema.Value.VisitJSON(v, openapi3.VisitAsRequest(), openapi3.DisableSchemaErrorDetails())
	if err == nil {
		return nil
	}
	return []string{name + ": " + strings.ReplaceAll(err.Error(), "\n", " ")}
}

// isIgnored reports whether OpenAPI says that a parameter is none (3.1 section
// 4.8.12.1).
func isIgnored(in, name string) bool {
	return in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name))
}

// sdkJudge has a document as JSON.
type sdkJudge struct{ root map[string]any }

func (d sdkJudge) judges(g *golden) (string, error) {
	method, path, _ := strings.Cut(g.Operation, " ")
	item := d.find(d.root["paths"], path)
	op := d.find(item, strings.ToLower(method))
	if op == nil {
		return "", fmt.Errorf("no operation %s", g.Operation)
	}
	var wrong []string
	seen := map[string]bool{}
	for _, list := range []any{op["parameters"], item["parameters"]} {
		all, _ := list.([]any)
		for _, v := range all {
			p := d.follow(v)
			in, _ := p["in"].(string)
			name, _ := p["name"].(string)
			if in == "" || seen[in+"."+name] || isIgnored(in, name) {
				continue
			}
			seen[in+"."+name] = true
			found, err := d.parameter(p, in, name, g)
			if err != nil {
				return "", err
			}
			wrong = append(wrong, found...)
		}
	}
	found, err := d.body(op, g)
	return strings.Join(append(wrong, found...), "; "), err
}

func (d sdkJudge) parameter(p map[string]any, in, name string, g *golden) ([]string, error) {
	v, ok := g.Args.Params[in+"."+name]
	if !ok {
		if required, _ := p["required"].(bool); required {
			return []string{name + ": missing"}, nil
		}
		return nil, nil
	}
	var schema any = p // of Swagger 2.0
	if own, ok := p["schema"]; ok {
		schema = own
	}
	if content, ok := p["content"].(map[string]any); ok {
		for _, media := range content {
			schema, _ = media.(map[string]any)["schema"]
		}
	}
	return d.finds(name, schema, v)
}

func (d sdkJudge) body(op map[string]any, g *golden) ([]string, error) {
	b := d.follow(op["requestBody"])
	if b == nil {
		return nil, nil
	}
	body := g.body()
	if body == nil {
		if required, _ := b["required"].(bool); required {
			return []string{"body: missing"}, nil
		}
		return nil, nil
	}
	content, _ := b["content"].(map[string]any)
	media, _ := content[g.Args.ContentType].(map[string]any)
	return d.finds("body", media["schema"], body)
}

func (d sdkJudge) finds(name string, schema, v any) ([]string, error) {
	if schema == nil {
		return nil, nil
	}
	c := converter{sdkJudge: d, defs: map[string]any{}, keys: map[string]string{}, old: !strings.HasPrefix(fmt.Sprint(d.root["openapi"]), "3.1") && !strings.HasPrefix(fmt.Sprint(d.root["openapi"]), "3.2")}
	top := map[string]any{"allOf": []any{c.convert(schema)}, "$defs": c.defs}
	text, err := json.Marshal(top)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	if err := r.Validate(plainly(v)); err != nil {
		return []string{name + ": " + strings.ReplaceAll(err.Error(), "\n", " ")}, nil
	}
	return nil, nil
}

// plainly has numbers as Go has them.
func plainly(v any) any {
	text, _ := json.Marshal(v)
	var out any
	_ = json.Unmarshal(text, &out)
	return out
}

// find is a member that is an object, and what it refers to.
func (d sdkJudge) find(v any, name string) map[string]any {
	o, _ := v.(map[string]any)
	return d.follow(o[name])
}

// follow gives what an object refers to.
func (d sdkJudge) follow(v any) map[string]any {
	for range 20 {
		o, _ := v.(map[string]any)
		ref, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		v = d.at(ref)
	}
	return nil
}

// at is what stands at a reference; nil where nothing does.
func (d sdkJudge) at(ref string) any {
	var v any = d.root
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}", "%20", " ").Replace(part)
		switch o := v.(type) {
		case map[string]any:
			v = o[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(o) {
				return nil
			}
			v = o[i]
		default:
			return nil
		}
	}
	return v
}

// converter turns schemas of OpenAPI into those of JSON Schema, in its own way: as
// values, keyword for keyword.
type converter struct {
	sdkJudge
	defs map[string]any
	keys map[string]string // of defs, by reference
	old  bool              // before OpenAPI 3.1
}

func (c *converter) convert(v any) any {
	in, ok := v.(map[string]any)
	if !ok {
		if _, isBool := v.(bool); isBool {
			return v
		}
		return map[string]any{}
	}
	out := map[string]any{}
	if ref, ok := in["$ref"].(string); ok {
		out["$ref"] = "#/$defs/" + c.key(ref)
		if c.old {
			return out
		}
	}
	for name, x := range in {
		c.keyword(out, in, name, x)
	}
	if nullable, _ := in["nullable"].(bool); nullable && c.old {
		if t, ok := out["type"]; ok {
			out["type"] = []any{t, "null"}
		}
		if enum, ok := out["enum"].([]any); ok {
			out["enum"] = append(slices.Clone(enum), nil)
		}
	}
	return out
}

// key is where what a reference leads to stands among the definitions.
func (c *converter) key(ref string) string {
	if key, ok := c.keys[ref]; ok {
		return key
	}
	key := fmt.Sprintf("d%d", len(c.keys))
	c.keys[ref] = key
	c.defs[key] = c.convert(c.at(ref))
	return key
}

func (c *converter) keyword(out, in map[string]any, name string, x any) {
	switch name {
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if list, ok := x.([]any); ok {
			all := make([]any, len(list))
			for i := range list {
				all[i] = c.convert(list[i])
			}
			out[name] = all
		}
	case "not", "if", "then", "else", "items", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties":
		out[name] = c.convert(x)
	case "properties", "patternProperties", "dependentSchemas":
		if of, ok := x.(map[string]any); ok {
			all := map[string]any{}
			for k, v := range of {
				all[k] = c.convert(v)
			}
			out[name] = all
		}
	case "required":
		if list, ok := x.([]any); ok {
			out[name] = c.needed(list, in)
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		c.bound(out, in, name, x)
	case "type":
		if x != "file" {
			out[name] = x
		} else {
			out[name] = "string"
		}
	case "pattern":
		if s, ok := x.(string); ok {
			if _, err := regexp.Compile(s); err == nil {
				out[name] = s
			}
		}
	case "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if _, ok := x.(float64); ok {
			if _, taken := out[name]; !taken {
				out[name] = x
			}
		}
	case "enum", "const", "uniqueItems", "dependentRequired":
		out[name] = x
	}
}

// needed are the required properties that a request may have.
func (c *converter) needed(list []any, in map[string]any) []any {
	properties, _ := in["properties"].(map[string]any)
	all := []any{}
	for _, name := range list {
		text, _ := name.(string)
		if readOnly, _ := c.follow(properties[text])["readOnly"].(bool); !readOnly {
			all = append(all, name)
		}
	}
	return all
}

// bound is an exclusive one, which is a number or was true beside a number.
func (c *converter) bound(out, in map[string]any, name string, x any) {
	switch x := x.(type) {
	case float64:
		out[name] = x
	case bool:
		inclusive := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[name]
		if n, ok := in[inclusive].(float64); ok && x {
			out[name] = n
		}
	}
}
