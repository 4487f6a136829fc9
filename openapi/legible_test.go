package openapi_test

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/openapi"
)

// TestLegible holds that no text which models and people read can write on a
// terminal what is not there, and that names are left alone.
func TestLegible(t *testing.T) {
	t.Parallel()
	const evil = `a\e[2J\r\n\x85b\u202ec\u2066d\u2028e\x7f\0\a`
	text := head30 + `paths:
  /a:
    get:
      operationId: "get` + evil + `"
      summary: "s` + evil + `"
      description: "d` + evil + ` &#27;[31m&#x202e;x"
      parameters:
        - {name: p, in: query, description: "p` + evil + `", schema: {type: string, title: "t` + evil + `", description: "q` + evil + `", enum: ["v\u202e"]}}
    post:
      requestBody:
        description: "b` + evil + `"
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
components:
  schemas:
    Pet: {type: object, properties: {name: {type: string, title: '"', description: "n` + evil + `"}, description: {type: string, description: "\"x\\ ` + evil + `"}}}
`
	text = strings.Replace(text, "info: {title: ", `info: {description: "i`+evil+`", title: `, 1)
	d := written(t, text, "")
	const marks = "\x1b\r\u0085\u202e\u2066\u2028\x7f\x00\a"
	if strings.ContainsAny(d.Description, marks) {
		t.Errorf("%q", d.Description)
	}
	shown := ""
	for _, op := range d.Operations {
		for _, got := range []string{openapi.Legible(openapi.Title(op)), openapi.Legible(openapi.Describe(op))} {
			if strings.ContainsAny(got, marks) {
				t.Errorf("%q", got)
			}
		}
		shown += string(op.Shown)
	}
	if kept := strings.Replace(shown, `"v`+"\u202e"+`"`, "", 1); kept == shown || strings.ContainsAny(kept, marks) || strings.Contains(kept, `\u`) {
		t.Errorf("%q", shown)
	}
	if !strings.Contains(d.Operations[0].ID, "\u202e") {
		t.Errorf("%q", d.Operations[0].ID)
	}
}
