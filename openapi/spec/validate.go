package spec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

// Codes of the findings of [Validate].
const (
	CodeInvalid    = "invalid"    // something that the specification does not allow
	CodeUnloadable = "unloadable" // the library cannot read the document at all
)

// maxFinding is the longest text of a finding of Validate, in bytes: the library
// repeats whole schemas and examples.
const maxFinding = 300

// Validate holds a document against the specification, as the library kin-openapi
// knows it, and tells what it finds. Nothing that it finds keeps [Read] from
// reading the document. It takes seconds for a large one.
func Validate(ctx context.Context, source Source) (found []Finding) {
	v := &validation{source: source, root: spot{source.Main(), source.Main().Root}}
	// The library reads documents that nobody checked before it, and a panic in it
	// says no more than an error.
	defer func() {
		if p := recover(); p != nil {
			found = []Finding{v.unloadable(fmt.Sprint(p))}
		}
	}()
	model, err := v.load(ctx)
	if err != nil {
		return []Finding{v.unloadable(err.Error())}
	}
	ctx = openapi3.WithValidationOptions(ctx, openapi3.EnableMultiError())
	v.add(model.Validate(ctx))
	return v.found
}

type validation struct {
	source Source
	root   spot
	found  []Finding
}

func (v *validation) unloadable(text string) Finding {
	return Finding{Place: v.root.file.Name, Code: CodeUnloadable, Text: "kin-openapi cannot load it: " + clip(text) + "; here it was repaired, or what is broken was left out"}
}

// load gives the library the files of the document and no others, as JSON, which
// is all it has to read then.
func (v *validation) load(ctx context.Context) (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	loader.Context = ctx
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, location *url.URL) ([]byte, error) {
		file, _, err := v.source.Find(v.root.file, location.Path)
		if err != nil {
			return nil, err
		}
		return file.Root.JSON(), nil
	}
	place := &url.URL{Path: v.root.file.Name}
	version, _, err := versionOf(v.root.file)
	if err != nil {
		return nil, err
	}
	if version != dialect.V20 {
		return loader.LoadFromDataWithPath(v.root.node.JSON(), place)
	}
	var old openapi2.T
	if err := json.Unmarshal(v.root.node.JSON(), &old); err != nil {
		return nil, err
	}
	return openapi2conv.ToV3WithLoader(&old, loader, place)
}

// add takes an error apart into its findings.
func (v *validation) add(err error) {
	if err == nil {
		return
	}
	if many, ok := errors.AsType[openapi3.MultiError](err); ok {
		for _, one := range many {
			v.add(one)
		}
		return
	}
	f := Finding{Code: CodeInvalid, Text: clip(err.Error())}
	f.Operation, f.Place = v.where(err.Error())
	v.found = append(v.found, f)
}

// inPath and inOperation are how the library says where it is.
var (
	inPath      = regexp.MustCompile(`invalid path (/\S*?): `)
	inOperation = regexp.MustCompile(`invalid operation ([A-Z]+)`)
	inComponent = regexp.MustCompile(`invalid components: (\w+) "([^"]+)"`)
)

// sections are what the library calls the sections of components.
var sections = map[string]string{
	"schema": "schemas", "parameter": "parameters", "request body": "requestBodies", "response": "responses", "header": "headers", "security scheme": "securitySchemes",
}

// where finds the operation and the place that the words of an error are about; the
// start of the document where they do not say.
func (v *validation) where(text string) (operation, place string) {
	at := v.root
	if m := inComponent.FindStringSubmatch(text); m != nil {
		if s := v.root.get("components").get(sections[m[1]]).get(m[2]); s.node != nil {
			at = s
		}
	}
	m := inPath.FindStringSubmatch(text)
	if m == nil {
		return "", at.place()
	}
	path := v.root.get("paths").get(m[1])
	if path.node == nil {
		return "", at.place()
	}
	if o := inOperation.FindStringSubmatch(text); o != nil {
		if s := path.get(strings.ToLower(o[1])); s.node != nil {
			return o[1] + " " + m[1], s.place()
		}
	}
	return "", path.place()
}

// clip is a text on one line, cut where it is long.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxFinding {
		return text
	}
	return strings.ToValidUTF8(text[:maxFinding], "") + "…"
}

var _ Source = (*document.Set)(nil)
