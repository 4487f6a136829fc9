package host

import (
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
)

// Checked is what was found of a configuration that was checked.
type Checked struct {
	Config   *config.Config   // nil where a layer cannot be read
	Problems diag.Problems    // errors and warnings, sorted by place
	Tools    int              // how many it has, the gateway's own apart but for code_interpreter
	Shown    []assembly.Shown // what agents are shown; see [assembly.Assembly.Shown]
}

// Check checks a configuration as strictly as there is: it starts nothing, needs no
// secret and opens no connection but where use.Documents says so. The error is not about
// the configuration.
func Check(opts config.Options, use assembly.Options) (Checked, error) {
	use.Strict, use.Searches, use.Lint, use.CacheDir, use.Installed = true, true, true, CacheDir(), PythonVersion
	cfg, problems := config.Load(opts)
	if cfg == nil {
		return Checked{Problems: problems}, nil
	}
	a := assembly.BuildWith(cfg, use)
	if err := a.Close(); err != nil {
		return Checked{}, err
	}
	c := Checked{Config: cfg, Problems: cfg.Problems(), Tools: len(cfg.Tools) + a.Imported(), Shown: a.Shown()}
	if cfg.Interpreter.Enabled {
		c.Tools++
	}
	return c, nil
}
