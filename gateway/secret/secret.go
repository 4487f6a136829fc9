// Package secret keeps values that must not be seen: a [Value] does not print,
// and a [Masker] takes known values out of any text that leaves the gateway.
package secret

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

const (
	// MinLength is the fewest bytes, white space apart, that a secret may have:
	// anything shorter would also be found, and masked, in harmless text.
	MinLength = 4
	// MaxLength is the most bytes read of a secret.
	MaxLength = 64 << 10

	masked = "[secret]"
)

// Value is a secret text. Every way of printing it gives "[secret]".
type Value struct{ text string }

// NewValue returns text as a secret.
func NewValue(text string) Value { return Value{text} }

// Reveal returns the text itself, for the one place it is meant for.
func (v Value) Reveal() string { return v.text }

// RevealAll opens values for the one request or process that they are for.
func RevealAll(values map[string]Value) map[string]any {
	open := make(map[string]any, len(values))
	for name, v := range values {
		open[name] = v.text
	}
	return open
}

// String returns "[secret]".
func (Value) String() string { return masked }

// GoString returns "[secret]".
func (Value) GoString() string { return masked }

// Format writes "[secret]" for every verb.
func (Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, masked) }

// MarshalText returns "[secret]".
func (Value) MarshalText() ([]byte, error) { return []byte(masked), nil }

// LogValue returns "[secret]".
func (Value) LogValue() slog.Value { return slog.StringValue(masked) }

// Config is one entry of the "secrets" section: where the value comes from.
// Exactly one field is set.
type Config struct {
	Env  string `koanf:"env"`  // name of an environment variable
	File string `koanf:"file"` // path of a file; one final line break is not part of the value
}

// Resolve reads the value. The error names the variable or the file and never
// the value.
func (c Config) Resolve() (Value, error) {
	text, err := c.read()
	if err != nil {
		return Value{}, err
	}
	if visible(text) < MinLength {
		return Value{}, fmt.Errorf("%s has fewer than %d characters beside white space, too few to be kept out of answers and logs", c.origin(), MinLength)
	}
	return NewValue(text), nil
}

func (c Config) origin() string {
	if c.Env != "" {
		return "environment variable " + c.Env
	}
	return "file " + c.File
}

func (c Config) read() (string, error) {
	if c.Env != "" {
		text, ok := os.LookupEnv(c.Env)
		if !ok {
			return "", fmt.Errorf("environment variable %s is not set", c.Env)
		}
		return text, nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxLength+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > MaxLength:
		return "", errors.New(c.origin() + " is larger than 64 KiB")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}
