package cmdtool

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// folder is the working directory of a command.
type folder struct {
	template *expression.Template
	prefix   string // the literal text before the first ${…}
	// held is the folder that prefix names, up to its last slash, which what
	// comes behind must not leave. It counts only where open is set: where
	// arguments of the call have a say.
	held string
	open bool
}

// errOutside is what a value does that would leave its folder.
var errOutside = errors.New("outside of its folder")

// folder compiles the "cwd" key.
func (c *compiler) folder(at diag.Cursor, text string) *folder {
	t := c.template(at, text)
	if t == nil {
		return nil
	}
	f := &folder{template: t, prefix: before(text), open: t.Reads("args")}
	if i := strings.LastIndexByte(f.prefix, '/'); i >= 0 {
		f.held = f.prefix[:i+1]
	}
	plain, literal := t.Literal()
	unshelled(at, f.prefix)
	switch {
	case literal && plain == "":
		c.wrong(at, "leave the key out to use the folder of the configuration", "the folder has no name")
	case strings.ContainsRune(f.prefix, 0):
		c.wrong(at, "", "the folder's name holds a zero byte")
	case f.open && f.held != "" && filepath.Clean(f.held) == "/":
		c.wrong(at, "write the folder that the caller may choose in, such as /srv/data/${args.folder}", "the caller could choose any folder of this machine")
	}
	return f
}

// find gives the working directory of one call. Where arguments of the call
// decide, it is resolved: free of symbolic links when it is looked at. A nil
// folder stands for the configuration's own.
func (f *folder) find(dir string, vars *expression.Vars, m *secret.Masker, on Machine) (string, error) {
	if f == nil {
		return dir, nil
	}
	text, present, err := f.text(vars)
	switch {
	case errors.Is(err, errOutside):
		return "", outside(text, m)
	case err != nil:
		return "", unfit(err)
	case !present:
		return dir, nil
	case strings.ContainsRune(text, 0):
		return "", tool.Errorf(tool.InvalidArgs, "the command's folder would have a zero byte in its name").WithHint("Leave the zero byte out.")
	}
	if !f.open {
		whole := absolute(dir, text)
		if _, err := on.Folder(whole); err != nil {
			return "", unavailable(err, "the folder the command runs in is not there, where the gateway runs")
		}
		return whole, nil
	}
	return f.within(dir, text, m, on)
}

// text gives the folder's name as the templates make it, and errOutside where
// that is plainly no place inside.
func (f *folder) text(vars *expression.Vars) (text string, present bool, err error) {
	text, present, err = f.template.Text(vars)
	if err != nil || !f.open {
		return text, present, err
	}
	_, _, err = f.template.Escaped(vars, func(value string) (string, error) {
		if filepath.IsAbs(value) {
			return "", errOutside
		}
		return value, nil
	})
	if err == nil && slices.Contains(strings.Split(strings.TrimPrefix(text, f.held), "/"), "..") {
		err = errOutside
	}
	return text, present, err
}

// within resolves the folder and the one that it must not leave, and compares.
// Whoever can change the folders themselves could do so right afterwards: the
// rule holds against the caller of a tool, not against other processes.
func (f *folder) within(dir, text string, m *secret.Masker, on Machine) (string, error) {
	held, err := on.Folder(absolute(dir, f.held))
	if err != nil {
		return "", unavailable(err, "the folder the command runs in is not there, where the gateway runs")
	}
	whole, err := on.Folder(absolute(dir, text))
	if err != nil {
		return "", tool.Errorf(tool.InvalidArgs, "there is no folder %q to run the command in", quote(text, m)).Because(err).
			WithHint("Send the name of a folder that exists.")
	}
	if rest, err := filepath.Rel(held, whole); err != nil || !filepath.IsLocal(rest) {
		return "", outside(text, m)
	}
	return whole, nil
}

// resolve follows every symbolic link of a path to a folder.
func resolve(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	return path, err
}

// absolute is a path whose relative form belongs to dir.
func absolute(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path // the working directory is gone; what is opened next says so
}

func outside(text string, m *secret.Masker) *tool.Error {
	e := tool.Errorf(tool.Boundary, "the folder %q is outside of the one that this tool is held to; do not try again with another path", quote(text, m)).
		WithHint("Tell the user that this tool cannot go there.")
	e.Fatal = true
	return e
}
