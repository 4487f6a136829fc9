package learn_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/learn"
)

// cleaned are queries and what may be kept of them.
var cleaned = []struct{ query, want string }{
	{"list open issues", "list open issues"},
	{"  list\n\topen  issues ", "list open issues"},
	{"mail to jane.smith@example.com about rent", "mail to about rent"},
	{"Send Jane (jane@x.org) a note", "Send Jane ( ) a note"},
	{"open https://ann:pw@host.example/path/page?token=abc#frag now", "open host.example/path/page now"},
	{"fetch http://example.com", "fetch example.com"},
	{"postgres://user:secret@db.internal:5432/app", "db.internal:5432/app"},
	{"call +1 (555) 123-4567 please", "call please"},
	{"card 4111 1111 1111 1111 declined", "card declined"},
	{"IBAN DE89370400440532013000 transfer", "IBAN transfer"},
	{"ping 192.168.10.12 now", "ping now"},
	{"order 550e8400-e29b-41d4-a716-446655440000 status", "order status"},
	{"use key sk-live-abcdefghijklmnop to pay", "use key to pay"},
	{"AKIAIOSFODNN7EXAMPLE rotate", "rotate"},
	{"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl decode", "token decode"},
	{"my password is hunter2 and it fails", "my password and it fails"},
	{"api_key=abc123 weather", "api_key weather"},
	{"password: \"open sesame now\" login", "password login"},
	{"Authorization: Bearer abcdefghijklmnopqrst", "Authorization"},
	{"reset the password of an account", "reset the password of an account"},
	{"hash d41d8cd98f00b204e9800998ecf8427e lookup", "hash lookup"},
	{"the value [secret] in vault", "the value in vault"},
	{"weather in 2024", "weather in 2024"},
	{"top 100 songs", "top 100 songs"},
	{"flight on 2024-05-01 to Rome", "flight on to Rome"},
	{"get_current_stock_price of a company", "get_current_stock_price of a company"},
	{"getRepositoryPullRequestReviewComments", "getRepositoryPullRequestReviewComments"},
	{"convert mp3 to mp4 with h264", "convert mp3 to mp4 with h264"},
	{"base64 encode, sha256 hash, utf8", "base64 encode, sha256 hash, utf8"},
	{"查询黄道吉日 (query auspicious dates)", "查询黄道吉日 (query auspicious dates)"},
	{"電話 090-1234-5678 へ", "電話 へ"},
	{`send "Happy birthday, Ann!" to 'Ann Lee'.`, "send to ."},
	{`"list open issues"`, "list open issues"},
	{`don't sort users' names; it's slow`, "don't sort users' names; it's slow"},
	{`5' 10" tall`, `5' 10" tall`},
	{"a\x00b\u202ec", "a b c"},
	{"\xff\xfe", ""},
	{"", ""},
}

func TestClean(t *testing.T) {
	for _, c := range cleaned {
		if got := learn.Clean(c.query); got != c.want {
			t.Errorf("%q: got %q, want %q", c.query, got, c.want)
		}
	}
}

// FuzzClean: what is kept is a text of few bytes without addresses of mail and long
// numbers, and cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for _, c := range cleaned {
		f.Add(c.query)
	}
	f.Add(strings.Repeat("a1", 5000))
	f.Add(strings.Repeat("password is ", 50))
	f.Fuzz(func(t *testing.T, query string) {
		got := learn.Clean(query)
		switch {
		case len(got) > learn.MaxQuery || !utf8.ValidString(got) || strings.TrimSpace(got) != got:
			t.Errorf("%q", got)
		case strings.Contains(got, "@") && strings.Trim(got, "@") != "" && hasAddress(got):
			t.Errorf("%q has an address", got)
		case longNumber(got):
			t.Errorf("%q has a number", got)
		case learn.Clean(got) != got:
			t.Errorf("%q becomes %q", got, learn.Clean(got))
		}
	})
}

func hasAddress(text string) bool {
	for _, w := range strings.Fields(text) {
		if at := strings.IndexByte(w, '@'); at > 0 && at < len(w)-1 && isLetter(w[at-1]) && isLetter(w[at+1]) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func longNumber(text string) bool {
	run := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			if run++; run > 5 {
				return true
			}
		} else {
			run = 0
		}
	}
	return false
}
