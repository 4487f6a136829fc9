package tool_test

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want tool.Size
		ok   bool
	}{
		{"0", 0, true},
		{"1024", 1024, true},
		{"500KB", 500_000, true},
		{"8MiB", 8 << 20, true},
		{"8 MiB", 8 << 20, true},
		{"2GB", 2_000_000_000, true},
		{"3B", 3, true},
		{"", 0, false},
		{"-1", 0, false},
		{"1.5MiB", 0, false},
		{"8mib", 0, false},
		{"MiB", 0, false},
		{"9223372036854775807", 9223372036854775807, true},
		{"9223372036854775808", 0, false},
		{"9223372036854775807KiB", 0, false},
	}
	for _, tt := range tests {
		got, err := tool.ParseSize(tt.in)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("ParseSize(%q) = %d, %v; want %d, ok %v", tt.in, got, err, tt.want, tt.ok)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	f.Add("8MiB")
	f.Add("12")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := tool.ParseSize(text); n < 0 || err != nil && n != 0 {
			t.Errorf("ParseSize(%q) = %d, %v", text, n, err)
		}
	})
}

func TestFoldName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"find_customer", "Find-Customer", "findCustomer", "find customer"} {
		if got := tool.FoldName(name); got != "findcustomer" {
			t.Errorf("FoldName(%q) = %q", name, got)
		}
	}
}

func TestShownName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pay":                       "pay",
		strings.Repeat("ä", 100):    strings.Repeat("ä", 100),
		strings.Repeat("ä", 101):    strings.Repeat("ä", 100) + "…",
		strings.Repeat("x", 500000): strings.Repeat("x", 100) + "…",
	} {
		if got := tool.ShownName(name); got != want {
			t.Errorf("%d bytes: got %q", len(name), got)
		}
	}
}
