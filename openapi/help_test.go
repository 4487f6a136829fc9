package openapi_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
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

func testdata(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	return folder
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
