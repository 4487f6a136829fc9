package toolgate
import (
 _ "github.com/expr-lang/expr"
 _ "github.com/knadh/koanf/v2"
 _ "github.com/knadh/koanf/providers/confmap"
 _ "github.com/urfave/cli/v3"
 _ "github.com/modelcontextprotocol/go-sdk/mcp"
 _ "github.com/santhosh-tekuri/jsonschema/v6"
 _ "github.com/dlclark/regexp2"
 _ "go.yaml.in/yaml/v4"
 _ "github.com/rogpeppe/go-internal/testscript"
 _ "github.com/google/go-cmp/cmp"
 _ "go.uber.org/goleak"
 _ "github.com/google/jsonschema-go/jsonschema"
 "testing"
)
func TestX(t *testing.T){}
