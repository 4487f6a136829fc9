package rehearsal

import (
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"testing"

	"github.com/toolgate/toolgate/gateway/expression"
)

func TestEqualNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"100", "1e2", true},
		{"0.05", "5E-2", true},
		{"-0", "0.000", true},
		{"0", "0e99999999999999999999", true},
		{"1e99999999999999999999", "10e99999999999999999998", true},
		{"12345678901234567890.5", "12345678901234567890.50", true},
		{"12345678901234567890.5", "12345678901234567890.6", false},
		{"1", "-1", false},
		{"1", "10", false},
		{"0.1", "1", false},
	} {
		if got := equalNumbers(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a": 1, "b": [true, null]}`, `{"b": [true, null], "a": 1.0}`, true},
		{`{"a": null}`, `{}`, false},
		{`{"a": null}`, `{"b": null}`, false},
		{`[1, 2]`, `[2, 1]`, false},
		{`[]`, `{}`, false},
		{`"1"`, `1`, false},
		{`null`, `false`, false},
	} {
		a, okA := decode([]byte(tt.a))
		b, okB := decode([]byte(tt.b))
		if !okA || !okB || equal(a, b) != tt.want || equal(b, a) != tt.want {
			t.Errorf("%s and %s: not %v", tt.a, tt.b, tt.want)
		}
	}
	if _, ok := decode([]byte(`1 2`)); ok {
		t.Error("two values are none")
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want, got string
		same      bool
	}{
		{"https://a.example/x?b=1&a=2", "https://A.example/x?a=2&b=1", true},
		{"https://a.example/x%2Fy", "https://a.example/x/y", false},
		{"https://a.example/${secret.k}", "https://a.example/%24%7Bsecret.k%7D", true},
		{"https://a.example/a b", "https://a.example/a%20b", true},
		{"https://a.example", "https://a.example/", true},
		{"http://a.example/", "https://a.example/", false},
		{"https://a.example/?a=1&a=2", "https://a.example/?a=2&a=1", false},
		{"https://a.example/", "https://a.example/?a=1", false},
	} {
		got, err := url.Parse(tt.got)
		if err != nil {
			t.Fatal(err)
		}
		w := &RequestConfig{URL: tt.want}
		if same := len(w.compareHTTP(&http.Request{URL: got, Header: http.Header{}}, nil)) == 0; same != tt.same {
			t.Errorf("%s and %s: %v", tt.want, tt.got, same)
		}
	}
}

// FuzzCompare: nothing that a test or a tool says breaks the comparison, a value is
// equal to itself, and numbers are equal where their exact values are.
func FuzzCompare(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"a":[1,2.50]}`, "https://a.example/x?y=%zz", "multipart/form-data; boundary=b"},
		{`-0.0e5`, "/a/%2F", "application/x-www-form-urlencoded"},
		{`"x"`, "", "--b\r\n"},
	} {
		f.Add([]byte(seed[0]), seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, data []byte, address, contentType string) {
		v, ok := decode(data)
		if ok && !equal(v, v) {
			t.Errorf("%s is not equal to itself", data)
		}
		if n, isNumber := v.(json.Number); ok && isNumber && len(n) < 20 {
			checkNumber(t, n)
		}
		text := string(data)
		w := &RequestConfig{
			URL: address, Path: address, Method: "get",
			Query: map[string]expression.Texts{address: {text}}, Headers: map[string]expression.Texts{"Authorization": {text}},
		}
		req := &http.Request{Method: "GET", URL: &url.URL{Path: address, RawQuery: text}, Header: http.Header{"Authorization": {"Basic " + text}, "Content-Type": {contentType}}}
		for _, body := range []*BodyConfig{
			{JSON: json.RawMessage(`{"a": 1}`)}, {Text: &text}, {Form: map[string]expression.Texts{"a": {text}}}, {Multipart: []PartConfig{{Name: "a", Text: &text}}},
		} {
			w.Body = body
			w.compareHTTP(req, data)
		}
	})
}

func checkNumber(t *testing.T, n json.Number) {
	t.Helper()
	_, _, exp := number(string(n))
	if !exp.IsInt64() || exp.Int64() > 100 || exp.Int64() < -100 {
		return
	}
	for _, other := range []string{"0", "1", "-1", "10", "0.5"} {
		a, okA := new(big.Rat).SetString(string(n))
		b, okB := new(big.Rat).SetString(other)
		if okA && okB && (a.Cmp(b) == 0) != equalNumbers(string(n), other) {
			t.Errorf("%s and %s", n, other)
		}
	}
}
