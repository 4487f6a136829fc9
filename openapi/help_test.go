package openapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// golden is a request that swagger-client built of arguments that were made up for
// an operation.
type golden struct {
	Spec, Operation string
	Args            struct {
		Params      map[string]any
		Body        any
		ContentType string
	}
	Swagger struct {
		Method, Origin, Path string
		Query                [][2]*string
		Headers              map[string]string
		Body                 any
		Form                 [][2]any
	}
}

// goldens reads all of them, by document in the order of the file.
func goldens(t *testing.T) map[string][]golden {
	t.Helper()
	f, err := os.Open(filepath.Join(testdata(t), "openapi/oracle/golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all := map[string][]golden{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var g golden
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		if err := d.Decode(&g); err != nil {
			t.Fatal(err)
		}
		all[g.Spec] = append(all[g.Spec], g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// racedStep is how many real documents there are for each that is tried with the
// race detector, under which they take ten times as long.
const racedStep = 8

// tried are the names, in order, that a test tries of all.
func tried[T any](all map[string]T) []string {
	names := slices.Sorted(maps.Keys(all))
	if !raced {
		return names
	}
	var out []string
	for i := 0; i < len(names); i += racedStep {
		out = append(out, names[i])
	}
	return out
}

func testdata(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	return folder
}

// arguments are the golden arguments under the names that ours have. What the
// schema says is base64 is sent as such.
func (g *golden) arguments(op *spec.Operation) map[string]any {
	args := map[string]any{}
	for i := range op.Parameters {
		p := &op.Parameters[i]
		if v, ok := g.Args.Params[p.In+"."+p.Name]; ok {
			args[p.Arg] = v
		}
	}
	body := g.Args.Body
	form := map[string]any{}
	for key, v := range g.Args.Params {
		if name, ok := strings.CutPrefix(key, "formData."); ok {
			form[name] = v
			body = form
		}
		if strings.HasPrefix(key, "body.") {
			body = v
		}
	}
	if op.Body == nil || body == nil {
		return args
	}
	if op.Body.Arg != "" {
		args[op.Body.Arg] = body
		if op.Body.Kind == spec.BodyBinary {
			args[op.Body.Arg] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(body)))
		}
		return args
	}
	fields, ok := body.(map[string]any)
	if !ok {
		return args
	}
	for _, f := range op.Body.Fields {
		v, ok := fields[f.Name]
		if ok && op.Body.Encodings[f.Name].Binary {
			v = encoded(v)
		}
		if ok {
			args[f.Arg] = v
		}
	}
	if op.Body.Open {
		for name, v := range fields {
			if !slices.ContainsFunc(op.Body.Fields, func(f spec.Field) bool { return f.Name == name }) {
				args[name] = v
			}
		}
	}
	return args
}

func encoded(v any) any {
	if list, ok := v.([]any); ok {
		out := make([]any, len(list))
		for i := range list {
			out[i] = encoded(list[i])
		}
		return out
	}
	return base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(v)))
}

// load reads a document from its file, by its name among the real ones.
func load(t *testing.T, name string) *openapi.Document {
	t.Helper()
	d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: filepath.Join(testdata(t), "openapi/specs", name)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// documents are the names of the real documents, in order.
func documents(t *testing.T) []string {
	t.Helper()
	root := filepath.Join(testdata(t), "openapi/specs")
	var names []string
	for _, pattern := range []string{"*.json", "*.y*ml", "digitalocean/specification/D*.yaml", "oai20-separate/*/*/*/*/spec/swagger.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names)
	return names
}

// cursor is a place in a configuration that has everything.
func cursor(problems *diag.Report) diag.Cursor {
	return diag.NewCursor(problems, func([]string) (diag.Spot, bool) { return diag.Spot{}, true })
}

// nearby is a client that may reach servers of this machine, as those of tests are.
func nearby(t *testing.T) *httptool.Client {
	t.Helper()
	client := httptool.NewClient([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// left reports whether a document is left out under the race detector, under which
// the large ones take minutes. CI looks at them without it.
func left(t *testing.T, name string) bool {
	t.Helper()
	const most = 1 << 20 // bytes
	info, err := os.Stat(filepath.Join(testdata(t), "openapi/specs", name))
	if err != nil {
		t.Fatal(err)
	}
	return raced && info.Size() > most
}

// either is what there is in all documents, or in those that are not left out
// under the race detector.
func either(all, small int) int {
	if raced {
		return small
	}
	return all
}

// service is that of a real document. One that names no host is under
// nowhere.example.
func service(t *testing.T, d *openapi.Document) *openapi.Service {
	t.Helper()
	client := httptool.NewClient(nil)
	t.Cleanup(func() { _ = client.Close() })
	var problems diag.Report
	at := diag.NewCursor(&problems, func([]string) (diag.Spot, bool) { return diag.Spot{}, true })
	deps := openapi.Deps{Client: client}
	if s := openapi.New(at, openapi.Config{}, d, deps); s != nil {
		return s
	}
	placed := *d
	placed.Base = nowhere + "/api-docs"
	s := openapi.New(at, openapi.Config{}, &placed, deps)
	if s == nil {
		t.Fatal(problems.Problems())
	}
	return s
}

const nowhere = "https://nowhere.example"
