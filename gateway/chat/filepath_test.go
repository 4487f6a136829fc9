package chat_test

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/toolgate/toolgate/gateway/chat"
)

// goodPaths are paths of files.
func goodPaths() []string {
	return []string{
		"a", "a.csv", "data/a.csv", "A", "a b", "a/b/c/d", ".hidden", ".config/x", "...", "a..b", "..a", "a.", "-", "-rf", "~", "~root", "*", "?", "a:b", "C:", "con", "nul.txt",
		"a%2Fb", "%2e%2e", "%00", "$HOME", "`id`", "a'b", `a"b`, "a;b", "a|b", "<a>", "a&b", "#a", "a+b", "a=b", "é", "日本語.txt", "данные/а.csv", "😀.png", "👩\u200d💻", "نامه\u200cها",
		strings.Repeat("a", 255), strings.Repeat("a/", 15) + "a", strings.Repeat("a", 244) + "/" + strings.Repeat("b", 255), " ", "files", "ﬁ",
	}
}

// badPaths are none, and what is said of them.
func badPaths() map[string]string {
	return map[string]string{
		"":                             "is empty",
		"/":                            "begins with a slash",
		"/a":                           "begins with a slash",
		"//a":                          "begins with a slash",
		"/etc/passwd":                  "begins with a slash",
		"a/":                           "has an empty segment",
		"a//b":                         "has an empty segment",
		"a/b//":                        "has an empty segment",
		".":                            `has the segment "."`,
		"..":                           `has the segment ".."`,
		"./a":                          `has the segment "."`,
		"../a":                         `has the segment ".."`,
		"a/.":                          `has the segment "."`,
		"a/..":                         `has the segment ".."`,
		"a/./b":                        `has the segment "."`,
		"a/../b":                       `has the segment ".."`,
		"../../etc/passwd":             `has the segment ".."`,
		`a\b`:                          "has a backslash",
		`..\a`:                         "has a backslash",
		`\`:                            "has a backslash",
		`C:\a`:                         "has a backslash",
		"\x00":                         "has a character that cannot be seen",
		"a\x00b":                       "has a character that cannot be seen",
		"a\x00.csv":                    "has a character that cannot be seen",
		"a\nb":                         "has a character that cannot be seen",
		"a\rb":                         "has a character that cannot be seen",
		"a\tb":                         "has a character that cannot be seen",
		"\x1b[2J":                      "has a character that cannot be seen",
		"a\x7f":                        "has a character that cannot be seen",
		"a\u0085b":                     "has a character that cannot be seen",
		"a\u009bb":                     "has a character that cannot be seen",
		"a\u2028b":                     "has a character that cannot be seen",
		"a\u2029b":                     "has a character that cannot be seen",
		"a\u202egnp.exe":               "has a character that cannot be seen",
		"a\u202db":                     "has a character that cannot be seen",
		"a\u2066b":                     "has a character that cannot be seen",
		"a\u200eb":                     "has a character that cannot be seen",
		"a\u200fb":                     "has a character that cannot be seen",
		"\ufeffa":                      "has a character that cannot be seen",
		"e\u0301":                      "is not in the normal form C",
		"a/e\u0301.csv":                "is not in the normal form C",
		"\u212b":                       "is not in the normal form C",
		"\u1100\u1161":                 "is not in the normal form C",
		"a\xff":                        "is not UTF-8",
		"\xc0\xaf":                     "is not UTF-8",
		"\xed\xa0\x80":                 "is not UTF-8",
		"..\xc0\xaf":                   "is not UTF-8",
		strings.Repeat("a", 256):       "has a segment of 256 bytes, and at most 255 are taken",
		strings.Repeat("a", 501):       "has 501 bytes, and at most 500 are taken",
		strings.Repeat("é", 128):       "has a segment of 256 bytes",
		strings.Repeat("a/", 16) + "a": "has 17 segments, and at most 16 are taken",
	}
}

func TestCheckFilePath(t *testing.T) {
	t.Parallel()
	for _, p := range goodPaths() {
		if err := chat.CheckFilePath(p); err != nil {
			t.Errorf("%.60q %v", p, err)
		}
	}
	for p, want := range badPaths() {
		if err := chat.CheckFilePath(p); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q %v, want: %s", p, err, want)
		}
	}
}

// FuzzCheckFilePath holds that no path leaves the folder that it is put into, in
// whatever way it is taken apart.
func FuzzCheckFilePath(f *testing.F) {
	for _, p := range goodPaths() {
		f.Add(p)
	}
	for p := range badPaths() {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if chat.CheckFilePath(p) != nil {
			return
		}
		switch {
		case path.Join("/base", p) != "/base/"+p, path.IsAbs(p), len(p) > chat.MaxFilePath, strings.Count(p, "/") >= chat.MaxFileDepth:
			t.Errorf("%q leaves its folder, or the limits", p)
		case !utf8.ValidString(p), norm.NFC.String(p) != p, strings.ContainsFunc(p, unicode.IsControl), strings.Contains(p, `\`):
			t.Errorf("%q has another spelling", p)
		}
	})
}

func TestFileTypes(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"*", "*/*", "text/*", "text/csv", "image/*", ".csv", ".tar", ".*", "application/vnd.*", "text/?sv"} {
		if err := chat.CheckFileType(good); err != nil {
			t.Error(err)
		}
	}
	for bad, want := range map[string]string{
		"": "neither", "csv": "neither", "text": "neither", "text/": "neither", "/csv": "neither", "a/b/c": "neither", ".": "neither", ".tar.gz": "neither",
		"text/[a": "no pattern", "text/[ab]": "no pattern", `text\csv`: "no pattern", "text/csv; charset=utf-8": "no pattern", "Text/CSV": "capital", ".CSV": "capital",
	} {
		if err := chat.CheckFileType(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want: %s", bad, err, want)
		}
	}
}
