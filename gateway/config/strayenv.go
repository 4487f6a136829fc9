package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// serviceLink is what Kubernetes sets in every container for a Service whose name
// starts with toolgate (Kubernetes, Services, Discovering services, Environment
// variables).
var serviceLink = regexp.MustCompile(`^` + EnvPrefix + `([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// stray reports whether a variable with our prefix and without two underscores
// names no key, not even by a slip of the pen. One that a secret is taken from or
// that is of the surroundings is let be, a key with one underscore for two is an
// error, and anything else is told and has no effect.
func (l *loader) stray(src *source, name, word string) bool {
	at := src.position(1, 1).place()
	meant := meantKey(strings.TrimPrefix(name, EnvPrefix))
	switch {
	case word == "" || slices.Contains(sections(), word):
		return false
	case l.holdsSecret(name):
	case meant != "":
		l.findings.add(nil, diag.Problem{Place: at, Text: "names no key", Hint: "did you mean " + meant + "? Two underscores stand between keys"})
	case serviceLink.MatchString(name):
	case isSection(word):
		return false // it is told which
	default:
		l.findings.add(nil, diag.Problem{
			Place: at, Text: "names no key, so it has no effect", Warning: true, Class: diag.StrayVariable,
			Hint: "variables that start with " + EnvPrefix + " and a section set keys, such as " + EnvPrefix + "SERVER" + envSeparator + "LISTEN; give this one another name",
		})
	}
	return true
}

// meantKey is the variable that a name with single underscores was meant to be:
// a section and a key in it, or "".
func meantKey(name string) string {
	top := shapeOf(reflect.TypeFor[Config](), nil)
	for i := range name {
		if name[i] != '_' {
			continue
		}
		section, key := strings.ToLower(name[:i]), strings.ToLower(name[i+1:])
		if s := top.fields[section]; s != nil && s.fields[key] != nil {
			return EnvPrefix + name[:i] + envSeparator + name[i+1:]
		}
	}
	return ""
}

// holdsSecret reports whether the files take a secret from the variable.
func (l *loader) holdsSecret(name string) bool {
	if l.tree == nil || l.tree.kind != mapping {
		return false
	}
	secrets := l.tree.find("secrets")
	if secrets == nil || secrets.value.kind != mapping {
		return false
	}
	for i := range secrets.value.members {
		entry := secrets.value.members[i].value
		if entry.kind != mapping {
			continue
		}
		if env := entry.find("env"); env != nil && env.value.text == name {
			return true
		}
	}
	return false
}
