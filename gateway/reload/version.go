package reload

import (
	"strings"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/watch"
)

// Source is where versions of a configuration come from. It is for one reading
// after the other.
type Source struct {
	// Options are the layers. The Trace in them is made by the first Read.
	Options config.Options
	// Build makes an assembly of what was read. Served is the one in whose place it
	// comes, nil for the first: what its documents say is used where they cannot be had.
	Build func(cfg *config.Config, served *assembly.Assembly) *assembly.Assembly

	documents map[string]watch.Digest // the files of documents that the last version was made of
}

// Version is a configuration as it was read at one time.
type Version struct {
	Config   *config.Config
	Assembly *assembly.Assembly // nil where there are errors
	Problems diag.Problems      // errors and warnings

	seen watch.State // what it was made of
}

// Read reads the configuration and builds it completely, in the place of the assembly
// that is served, or nil. A Version with an error
// holds nothing that is open, and may lack the Config too.
func (s *Source) Read(served *assembly.Assembly) *Version {
	if s.Options.Trace == nil {
		s.Options.Trace = new(config.Trace)
	}
	v := new(Version)
	v.Config, v.Problems = config.Load(s.Options)
	v.seen = watch.State{Files: s.Options.Trace.Files(), Patterns: s.Options.Trace.Patterns()}
	if v.Config == nil {
		return v
	}
	// The other files are read while it is built. What changes meanwhile differs
	// from what was found before, and so is read again.
	disk := Disk()
	v.seen = v.seen.With(disk.Look(watch.State{Files: otherFiles(v.Config)}))
	before := disk.Look(watch.State{Files: s.documents})
	v.Assembly = s.Build(v.Config, served)
	v.seen = v.seen.With(s.look(disk, v.Assembly.Files(), before))
	v.Problems = v.Config.Problems()
	if v.Problems.Err() != nil {
		_ = v.Assembly.Close() // it closes connections, which cannot fail
		v.Assembly = nil
		return v
	}
	v.Config.Forget()
	v.Assembly.Forget()
	return v
}

// look finds out how the files of documents are. Which these are is known only when
// they have been read; of those that the last version had it is known how they were
// before.
func (s *Source) look(disk watch.Disk, files []string, before watch.State) watch.State {
	s.documents = map[string]watch.Digest{}
	for _, path := range files {
		s.documents[path] = watch.Digest{}
	}
	now := disk.Look(watch.State{Files: s.documents})
	for path := range now.Files {
		if was, ok := before.Files[path]; ok {
			now.Files[path] = was
		}
	}
	return now
}

// Disk is how files of a configuration are looked at.
func Disk() watch.Disk {
	return watch.Disk{MaxFile: max(config.MaxFileSize, assembly.MaxDocument), Glob: config.Glob}
}

// otherFiles are those that a configuration names and does not include.
func otherFiles(c *config.Config) map[string]watch.Digest {
	out := map[string]watch.Digest{}
	for _, s := range c.Secrets {
		if s.File != "" {
			out[s.File] = watch.Digest{}
		}
	}
	for _, s := range c.Sources {
		if s.On() && s.OpenAPI != nil && !strings.Contains(s.OpenAPI.Spec, "://") {
			out[s.OpenAPI.Spec] = watch.Digest{}
		}
	}
	for _, path := range certificates(c) {
		out[path] = watch.Digest{}
	}
	return out
}

// certificate is a file of an upstream's "tls".
type certificate struct{ upstream, key string }

// certificates are the paths of all such files.
func certificates(c *config.Config) map[certificate]string {
	out := map[certificate]string{}
	for name, u := range c.Upstreams {
		if u.TLS == nil {
			continue
		}
		for key, path := range map[string]string{"ca": u.TLS.CA, "cert": u.TLS.Cert, "key": u.TLS.Key} {
			if path != "" {
				out[certificate{name, key}] = path
			}
		}
	}
	return out
}
