package policy

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/expression"
)

// bindPathIn takes a folder. The path is compared part by part after it was
// cleaned, so that /database is not in /data. A relative path is not compared
// with an absolute folder, nor the reverse: where a program runs is not known
// here. The file system is not looked at: links, and folders such as /proc that
// lead to others, are taken for what their names say.
func bindPathIn(fixed []any) (expression.Run, *expression.Unfit) {
	folder := fixed[1].(string)
	if folder == "" || unclear(folder) != nil {
		return nil, &expression.Unfit{Arg: 1, Text: fmt.Sprintf("%q is no folder", folder), Hint: `write "/data" for example`}
	}
	folder = path.Clean(folder)
	inside := strings.TrimSuffix(folder, "/") + "/"
	return func(_ expression.Known, args []any) (any, error) {
		text := args[0].(string)
		if err := unclear(text); err != nil {
			return nil, err
		}
		switch absolute := path.IsAbs(text); {
		case absolute && !path.IsAbs(folder):
			return nil, errors.New("is an absolute path, and the folder a relative one, so whether it is in it is uncertain")
		case !absolute && path.IsAbs(folder):
			return nil, errors.New("is a relative path, and the folder an absolute one, so whether it is in it is uncertain")
		}
		clean := path.Clean(text)
		return clean == folder || folder == "." || strings.HasPrefix(clean, inside), nil
	}, nil
}

// scheme is the start of a URL, or the drive of Windows.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// unclear says why a path is one that goes up or that programs read differently.
func unclear(p string) error {
	what := ""
	switch {
	case slices.Contains(strings.Split(p, "/"), ".."):
		what = "has .. in it"
	case strings.ContainsAny(p, "\\\x00"):
		what = "has a backslash or a NUL in it"
	case strings.HasPrefix(p, "~"):
		what = "begins with ~"
	case scheme.MatchString(p):
		what = "begins like a URL"
	default:
		return nil
	}
	return errors.New(what + ", so where it leads is uncertain")
}
