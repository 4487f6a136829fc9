package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/openapi/spec"
)

// TestMany reads an operation with as many parameters as it may have, and with 20,000
// properties.
func TestMany(t *testing.T) {
	t.Parallel()
	const many = 20000
	var parameters, properties, encodings []string
	for i := range many {
		name := fmt.Sprintf("я%c", rune(0x4e00+i))
		if i < spec.MaxParameters {
			parameters = append(parameters, fmt.Sprintf(`{"in":"query","name":%q,"schema":{}}`, name))
		}
		properties = append(properties, fmt.Sprintf(`%q:{}`, name))
		encodings = append(encodings, fmt.Sprintf(`%q:{"style":"pipeDelimited"}`, name))
	}
	text := `{"openapi":"3.0.3","info":{},"paths":{"/a":{"post":{"parameters":[` + strings.Join(parameters, ",") +
		`],"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"properties":{` + strings.Join(properties, ",") +
		`}},"encoding":{` + strings.Join(encodings, ",") + `}}}}}}}}`
	got := readOf(t, []txtar.File{{Name: "openapi.json", Data: []byte(text)}})
	if n := strings.Count(got, "\n  query "); n != spec.MaxParameters {
		t.Errorf("there are %d parameters", n)
	}
	if n := strings.Count(got, "\n    encoding "); n != many {
		t.Errorf("there are %d encodings", n)
	}
}
