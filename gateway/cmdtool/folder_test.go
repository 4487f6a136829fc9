package cmdtool

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pwd, err := exec.LookPath("pwd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pwd, filepath.Join(dir, "where")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	for _, from := range []string{dir, filepath.Base(dir)} {
		out, err := compile(t, Config{Argv: expression.Texts{"./where"}}, Deps{Dir: from}).Run(t.Context(), input(t, `{}`))
		if got := strings.TrimSpace(out.Text()); err != nil || got != dir {
			t.Errorf("from %s: ran in %q, %v, want %q", from, got, err, dir)
		}
	}
}

// place makes a folder with a project in it and another one beside it.
func place(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"conf/data/a/b", "conf/data/-x", "conf/data/..c", "beside/a"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"conf/data/in": "a", "conf/data/out": "../../beside", "conf/data/far": top + "/beside", "conf/data/up": "..",
		"conf/data/loop": "loop", "conf/data/gone": "../../gone", "conf/alias": "data", "conf/data/round": "../data/a",
	} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "conf/data/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return top
}

func TestCwd(t *testing.T) {
	top := place(t)
	tests := []struct {
		name, cwd, args string
		want            string    // below the top
		code            tool.Code // instead of want
	}{
		{"a literal", "data/a", `{}`, "conf/data/a", ""},
		{"a literal outside", "../beside", `{}`, "beside", ""},
		{"a literal behind a link", "data/out", `{}`, "beside", ""},
		{"an absolute literal", top + "/beside", `{}`, "beside", ""},
		{"a secret", "${secret.root}/a", `{}`, "beside/a", ""},
		{"a literal that is missing", "gone", `{}`, "", tool.UpstreamUnavailable},
		{"a literal that is a file", "data/file", `{}`, "", tool.UpstreamUnavailable},
		{"an argument", "data/${args.a}", `{"a": "a"}`, "conf/data/a", ""},
		{"an argument of two steps", "data/${args.a}", `{"a": "a/b"}`, "conf/data/a/b", ""},
		{"an argument with needless parts", "data/${args.a}", `{"a": "./a//b/."}`, "conf/data/a/b", ""},
		{"an empty argument", "data/${args.a}", `{"a": ""}`, "conf/data", ""},
		{"an argument alone", "${args.a}", `{"a": "data"}`, "conf/data", ""},
		{"an absent argument alone", "${args.a}", `{}`, "conf", ""},
		{"a name that starts with a hyphen", "data/${args.a}", `{"a": "-x"}`, "conf/data/-x", ""},
		{"a name that starts with dots", "data/${args.a}", `{"a": "..c"}`, "conf/data/..c", ""},
		{"behind a folder outside", "../beside/${args.a}", `{"a": "a"}`, "beside/a", ""},
		{"behind a link", "alias/${args.a}", `{"a": "a"}`, "conf/data/a", ""},
		{"in the middle of a name", "data/.${args.a}c", `{"a": "."}`, "conf/data/..c", ""},
		{"a link inside", "data/${args.a}", `{"a": "in/b"}`, "conf/data/a/b", ""},
		{"a link outside and back", "data/${args.a}", `{"a": "round"}`, "conf/data/a", ""},
		{"absent inside longer text", "data/${args.a}", `{}`, "", tool.InvalidArgs},
		{"a missing folder", "data/${args.a}", `{"a": "gone2"}`, "", tool.InvalidArgs},
		{"a link to nowhere", "data/${args.a}", `{"a": "gone"}`, "", tool.InvalidArgs},
		{"a link to itself", "data/${args.a}", `{"a": "loop"}`, "", tool.InvalidArgs},
		{"a file", "data/${args.a}", `{"a": "file"}`, "", tool.InvalidArgs},
		{"a zero byte", "data/${args.a}", `{"a": "a\u0000"}`, "", tool.InvalidArgs},
		{"a name too long", "data/${args.a}", `{"a": "` + strings.Repeat("x", 5000) + `"}`, "", tool.InvalidArgs},
		{"a missing folder before the argument", "gone/${args.a}", `{"a": "a"}`, "", tool.UpstreamUnavailable},
		{"up", "data/${args.a}", `{"a": ".."}`, "", tool.Boundary},
		{"up and down", "data/${args.a}", `{"a": "../data/a"}`, "", tool.Boundary},
		{"up from inside", "data/${args.a}", `{"a": "a/../../.."}`, "", tool.Boundary},
		{"up but not out", "data/${args.a}", `{"a": "a/.."}`, "", tool.Boundary},
		{"up in two values", "data/${args.a}${args.n}/x", `{"a": ".", "n": "."}`, "", tool.Boundary},
		{"up through the text around it", "data/.${args.a}", `{"a": "."}`, "", tool.Boundary},
		{"an absolute path", "data/${args.a}", `{"a": "/etc"}`, "", tool.Boundary},
		{"an absolute path alone", "${args.a}", `{"a": "/etc"}`, "", tool.Boundary},
		{"an absolute path that would be inside", "${args.a}", `{"a": "` + top + `/conf/data"}`, "", tool.Boundary},
		{"a link out of it", "data/${args.a}", `{"a": "out"}`, "", tool.Boundary},
		{"a folder behind a link out of it", "data/${args.a}", `{"a": "out/a"}`, "", tool.Boundary},
		{"an absolute link out of it", "data/${args.a}", `{"a": "far"}`, "", tool.Boundary},
		{"a link to the folder above", "data/${args.a}", `{"a": "up"}`, "", tool.Boundary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := secret.NewValue(top + "/beside")
			r := compile(t, Config{Argv: expression.Texts{"pwd"}, Cwd: &test.cwd}, Deps{
				Dir: filepath.Join(top, "conf"), Args: []string{"a", "n"}, SecretNames: []string{"root"}, Secrets: map[string]secret.Value{"root": root},
			})
			out, err := r.Run(t.Context(), input(t, test.args))
			if test.code != "" {
				wantFailure(t, err, test.code)
				return
			}
			if got, err2 := filepath.EvalSymlinks(strings.TrimSpace(out.Text())); err != nil || err2 != nil || got != filepath.Join(top, test.want) {
				t.Errorf("ran in %q, %v, %v, want %q", got, err, err2, test.want)
			}
		})
	}
}

func wantFailure(t *testing.T, err error, code tool.Code) {
	t.Helper()
	e := tool.AsError(err)
	if err == nil || e.Code != code {
		t.Errorf("got %v, want %s", err, code)
	} else if told := strings.Contains(e.Message, "not try again"); e.Fatal != (code == tool.Boundary) || told != e.Fatal {
		t.Errorf("fatal is %t in %q", e.Fatal, e.Message)
	}
}

// TestProgramsBelongToTheConfiguration is about a relative program and a folder
// that an argument chooses.
func TestProgramsBelongToTheConfiguration(t *testing.T) {
	top, cwd := place(t), "data/${args.a}"
	pwd, err := exec.LookPath("pwd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pwd, filepath.Join(top, "conf/where")); err != nil {
		t.Fatal(err)
	}
	r := compile(t, Config{Argv: expression.Texts{"./where"}, Cwd: &cwd}, Deps{Dir: filepath.Join(top, "conf")})
	out, err := r.Run(t.Context(), input(t, `{"a": "a"}`))
	if err != nil || strings.TrimSpace(out.Text()) != filepath.Join(top, "conf/data/a") {
		t.Errorf("got %q, %v", out.Text(), err)
	}
}
