package cmdtool

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestEnvironmentIsAFixedList(t *testing.T) {
	t.Setenv("TOOLGATE_TEST_CREDENTIAL", "leaked")
	t.Setenv("TZ", "UTC")
	out, err := compile(t, Config{Argv: expression.Texts{"env"}}, Deps{Dir: t.TempDir()}).Run(t.Context(), input(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(out.Text()) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
		if !slices.Contains(inherited, name) {
			t.Errorf("the process sees %s", line)
		}
	}
	if !slices.Contains(names, "PATH") || !slices.Contains(names, "TZ") {
		t.Errorf("the process sees only %v", names)
	}
}

func TestEnv(t *testing.T) {
	t.Setenv("LANG", "C")
	t.Setenv("PATH", "/usr/bin:/bin")
	const one = `printf '%s' "$${X-unset}"`
	tests := []struct {
		name   string
		script string
		env    map[string]string
		only   bool
		args   string
		want   string
	}{
		{"a literal", one, map[string]string{"X": "a b"}, false, `{}`, "a b"},
		{"an argument", one, map[string]string{"X": "${args.a}"}, false, `{"a": "-x; $(id)"}`, "-x; $(id)"},
		{"an argument in longer text", one, map[string]string{"X": "<${args.a}>"}, false, `{"a": 1.50}`, "<1.50>"},
		{"a secret", one, map[string]string{"X": "Bearer ${secret.key}"}, false, `{}`, "Bearer s3cret"},
		{"an absent value", one, map[string]string{"X": "${args.a}"}, false, `{}`, "unset"},
		{"an empty value", one, map[string]string{"X": "${args.a}"}, false, `{"a": ""}`, ""},
		{"a list", one, map[string]string{"X": "${args.a}"}, false, `{"a": ["x", 1]}`, `["x",1]`},
		{"line breaks", one, map[string]string{"X": "${args.a}"}, false, `{"a": "a\nY=b"}`, "a\nY=b"},
		{"one of its own instead of an inherited one", `printf '%s' "$LANG"`, map[string]string{"LANG": "de"}, false, `{}`, "de"},
		{"an inherited one that is taken away", `printf '%s' "$${LANG-unset}"`, map[string]string{"LANG": "${args.a}"}, false, `{}`, "unset"},
		{"inherited ones beside it", `printf '%s' "$LANG$X"`, map[string]string{"X": "x"}, false, `{}`, "Cx"},
		{"no inherited ones", `printf '%s' "$${LANG-unset}$X"`, map[string]string{"X": "x"}, true, `{}`, "unsetx"},
		{"none at all", `printf '%s' "$${LANG-unset}"`, nil, true, `{}`, "unset"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, Config{Argv: shell(test.script), Env: test.env, EnvOnly: test.only}, keyed(t))
			out, err := r.Run(t.Context(), input(t, test.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.Text()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// keyed is what a command with the arguments a and n and a secret needs.
func keyed(t *testing.T) Deps {
	return Deps{
		Dir: t.TempDir(), Args: []string{"a", "n"}, SecretNames: []string{"key"},
		Secrets: map[string]secret.Value{"key": secret.NewValue("s3cret")}, Masker: secret.NewMasker(secret.NewValue("s3cret")),
	}
}

// TestNoVariableButThoseOfEnv asks the program itself, without a shell that
// sets some of its own.
func TestNoVariableButThoseOfEnv(t *testing.T) {
	for want, env := range map[string]map[string]string{"": nil, "A=1\nB=2\n": {"B": "2", "A": "1"}} {
		out, err := compile(t, Config{Argv: expression.Texts{"env"}, Env: env, EnvOnly: true}, keyed(t)).Run(t.Context(), input(t, `{}`))
		if err != nil || out.Text() != want {
			t.Errorf("got %q, %v, want %q", out.Text(), err, want)
		}
	}
}

func TestEnvFails(t *testing.T) {
	tests := []struct{ name, value, args, text string }{
		{"a zero byte", "${args.a}", `{"a": "x\u0000y"}`, "the variable X of the command would hold a zero byte"},
		{"absent inside longer text", "a${args.a}", `{}`, "cannot be built"},
		{"longer than a command line", "${args.a}", `{"a": "` + strings.Repeat("x", maxCommandLine) + `"}`, "longer than a command line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, Config{Argv: expression.Texts{"true"}, Env: map[string]string{"X": test.value}}, keyed(t))
			_, err := r.Run(t.Context(), input(t, test.args))
			if e := tool.AsError(err); err == nil || e.Code != tool.InvalidArgs || !strings.Contains(e.Message, test.text) {
				t.Errorf("got %v, want %q", err, test.text)
			}
		})
	}
}
