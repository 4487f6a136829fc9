package assembly_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/httptool"
)

// TestMadeConfiguration reports what is wrong with a configuration that a program
// made, and that no file could hold.
func TestMadeConfiguration(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{Version: config.Version, Tools: map[string]config.Tool{"a": {HTTP: &httptool.Config{
		URL: "https://api.example.com", Method: "POST", Body: &httptool.Body{JSON: json.RawMessage("{")},
	}}}}
	if a := assembly.Build(cfg, assembly.Declared); a.Generation != nil {
		t.Error("it is taken")
	}
	if err := cfg.Problems().Err(); err == nil || !strings.Contains(err.Error(), "body") {
		t.Error(err)
	}
}
