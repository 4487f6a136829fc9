package expression

import (
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
)

func TestReadsPath(t *testing.T) {
	t.Parallel()
	var report diag.Report
	env := NewEnv(Var{Name: "result", Late: true, Type: JSON}, Var{Name: "args", Late: true, Type: JSON})
	tests := []struct {
		source string
		want   bool
	}{
		{`result.is_error`, true},
		{`result?.is_error`, true},
		{`result["is_error"]`, true},
		{`result.is_error ? "x" : result.text`, true},
		{`not result.is_error`, true},
		{`result`, true},
		{`result[args.key]`, true},
		{`let r = result; r.is_error`, true},
		{`filter(args.list, result.is_error)`, true},
		{`{"x": [result.is_error]}`, true},
		{`result.text`, false},
		{`result.value`, false},
		{`result.value.is_error`, false},
		{`result.text + " is_error content"`, false},
		{`"is_error"`, false},
		{`{"is_error": result.text}`, false},
		{`args.is_error`, false},
		{`args[result.text]`, false},
		{`result.text /* result.is_error */`, false},
	}
	for _, tt := range tests {
		p := Compile(diag.NewCursor(&report, nil), tt.source, env, WantAny)
		if p == nil {
			t.Errorf("%s does not compile: %v", tt.source, report.Problems())
			continue
		}
		if got := p.ReadsPath("result", "is_error"); got != tt.want {
			t.Errorf("%s: %v", tt.source, got)
		}
	}
	if (*Program)(nil).ReadsPath("result") {
		t.Error("no expression reads a result")
	}
}
