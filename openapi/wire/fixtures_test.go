package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

const jsonType, formType = "application/json", "application/x-www-form-urlencoded"

// TestFaults builds the requests that importers are known to get wrong.
func TestFaults(t *testing.T) {
	t.Parallel()
	explode := func(p *spec.Parameter) { p.Explode = true }
	flat := func(p *spec.Parameter) { p.Explode = false }
	styled := func(style string) func(*spec.Parameter) { return func(p *spec.Parameter) { p.Style = style } }
	listed := func(names ...string) func(*spec.Parameter) {
		return func(p *spec.Parameter) { p.Order = names }
	}
	body := func(op *spec.Operation, b spec.Body) *spec.Operation { op.Body = &b; return op }
	optional := spec.Body{Kind: spec.BodyJSON, Media: jsonType, Fields: fields("env")}

	for _, c := range []struct {
		name string
		op   *spec.Operation
		args string
		want wire.Request
	}{
		{
			"parameters of the path item", operation("GET", "/teams/{team}/members", inPath("team"), inQuery("page")),
			`{"team": "core", "page": 2}`,
			wire.Request{Path: "/teams/core/members", Query: "page=2"},
		},
		{
			"undeclared placeholder", operation("GET", "/jobs/{job_id}/logs", inQuery("tail"), inPath("job_id")),
			`{"job_id": "j 1", "tail": 5}`,
			wire.Request{Path: "/jobs/j%201/logs", Query: "tail=5"},
		},
		{
			"reserved characters in a path", operation("GET", "/files/{name}/meta", inPath("name")),
			`{"name": "..admin/?x=1#f%"}`,
			wire.Request{Path: "/files/..admin%2F%3Fx%3D1%23f%25/meta"},
		},
		{
			"styles of paths", operation("GET", "/s/{a}/l/{b}/m/{c}/x/{d}", inPath("a"), with(with(inPath("b"), styled(spec.StyleLabel)), explode),
				with(inPath("c"), styled(spec.StyleMatrix)), with(with(inPath("d"), styled(spec.StyleMatrix)), explode)),
			`{"a": ["x,y", "z"], "b": ["u", "v"], "c": ["1", "2"], "d": {"G": 200, "R": 100}}`,
			wire.Request{Path: "/s/x%2Cy,z/l/.u.v/m/;c=1,2/x/;G=200;R=100"},
		},
		{
			"lists in a query", operation("GET", "/search", with(inQuery("tags"), flat), inQuery("ids")),
			`{"tags": ["a b", "c,d", "é"], "ids": [1, 2]}`,
			wire.Request{Path: "/search", Query: "tags=a%20b,c%2Cd,%C3%A9&ids=1&ids=2"},
		},
		{
			"deepObject", operation("GET", "/surveys", with(inQuery("target"), styled(spec.StyleDeepObject))),
			`{"target": {"id": "57dc 3", "a&b": "=1"}}`,
			wire.Request{Path: "/surveys", Query: "target%5Ba%26b%5D=%3D1&target%5Bid%5D=57dc%203"},
		},
		{
			"deepObject of lists and objects", operation("GET", "/charges", with(inQuery("expand"), styled(spec.StyleDeepObject)), with(inQuery("filter"), styled(spec.StyleDeepObject))),
			`{"expand": ["data.customer", null, "data.invoice"], "filter": {"amount": {"gte": 10}, "none": [], "or": [{"a": 1}]}}`,
			wire.Request{Path: "/charges", Query: "expand%5B0%5D=data.customer&expand%5B1%5D=data.invoice&filter%5Bamount%5D%5Bgte%5D=10&filter%5Bor%5D%5B0%5D%5Ba%5D=1"},
		},
		{
			"objects in a query", operation("DELETE", "/documents", inQuery("opts"), with(inQuery("flat"), flat)),
			`{"opts": {"filter_by": "x>1", "batch_size": 2}, "flat": {"R": 100, "G": 200}}`,
			wire.Request{Path: "/documents", Query: "batch_size=2&filter_by=x%3E1&flat=G,200,R,100"},
		},
		{
			"objects in the order of the document", operation("GET", "/o/{a}", with(inPath("a"), listed("y", "x")), with(inQuery("b"), listed("y", "z", "x")), with(with(inQuery("c"), styled(spec.StyleDeepObject)), listed("y")), with(inHeader("D"), listed("y", "x"))),
			`{"a": {"x": 1, "y": 2}, "b": {"w": 0, "x": 1, "y": 2}, "c": {"x": {"b": 1, "a": 2}, "y": 2}, "D": {"x": 1, "y": 2}}`,
			wire.Request{Path: "/o/y,2,x,1", Query: "y=2&x=1&w=0&c%5By%5D=2&c%5Bx%5D%5Ba%5D=2&c%5Bx%5D%5Bb%5D=1", Header: headerOf("D", "y,2,x,1")},
		},
		{
			"content in a query", operation("GET", "/find", with(inQuery("where"), func(p *spec.Parameter) { p.Style, p.Media = "", jsonType })),
			`{"where": {"n": 1}}`,
			wire.Request{Path: "/find", Query: "where=%7B%22n%22%3A1%7D"},
		},
		{
			"header parameters", operation("GET", "/r", inHeader("X-Verbose"), inHeader("X-Ids"), with(inHeader("X-Opt"), explode), inHeader("accept"), inHeader("Authorization"), inHeader("Content-Type")),
			`{"X-Verbose": true, "X-Ids": [1, 2], "X-Opt": {"a": 1, "b": "x"}, "accept": "x", "Authorization": "x", "Content-Type": "x"}`,
			wire.Request{Path: "/r", Header: headerOf("X-Verbose", "true", "X-Ids", "1,2", "X-Opt", "a=1,b=x")},
		},
		{
			"cookie parameters", operation("GET", "/c", inCookie("sid"), inCookie("beta"), with(inCookie("tags"), flat)),
			`{"sid": "s1", "beta": false, "tags": ["a", "b"]}`,
			wire.Request{Path: "/c", Header: headerOf("Cookie", "sid=s1; beta=false; tags=a,b")},
		},
		{
			"odd names", operation("GET", "/audit", inQuery("project_ids[]"), with(inQuery("$filter"), func(p *spec.Parameter) { p.Arg = "filter" }), inQuery("user.name"), inQuery("class")),
			`{"project_ids[]": ["p1", "p2"], "filter": "a eq 1", "user.name": "u", "class": "k"}`,
			wire.Request{Path: "/audit", Query: "project_ids%5B%5D=p1&project_ids%5B%5D=p2&%24filter=a%20eq%201&user.name=u&class=k"},
		},
		{
			"absent, null and empty", operation("GET", "/list", inQuery("limit"), inQuery("cursor"), inQuery("q"), inQuery("all"), inQuery("offset"), inQuery("ids")),
			`{"cursor": null, "q": "", "all": false, "offset": 0, "ids": []}`,
			wire.Request{Path: "/list", Query: "q=&all=false&offset=0"},
		},
		{
			"numbers", operation("GET", "/n/{id}", inPath("id"), inQuery("limit"), inQuery("ratio"), inQuery("since")),
			`{"id": 9007199254740993, "limit": 1e6, "ratio": 0.1, "since": "2024-01-02T03:04:05+02:00"}`,
			wire.Request{Path: "/n/9007199254740993", Query: "limit=1000000&ratio=0.1&since=2024-01-02T03%3A04%3A05%2B02%3A00"},
		},
		{
			"list as a body", body(operation("POST", "/bulk", inQuery("values")), spec.Body{Kind: spec.BodyJSON, Media: jsonType, Required: true, Arg: "body"}),
			`{"values": "active", "body": [1, 2]}`,
			wire.Request{Path: "/bulk", Query: "values=active", Header: headerOf("Content-Type", jsonType), Body: []byte(`[1,2]`)},
		},
		{
			"text as a JSON body", body(operation("PUT", "/note"), spec.Body{Kind: spec.BodyJSON, Media: jsonType, Required: true, Arg: "body"}),
			`{"body": "hi \"you\" <&>"}`,
			wire.Request{Path: "/note", Header: headerOf("Content-Type", jsonType), Body: []byte(`"hi \"you\" <&>"`)},
		},
		{
			"map as a body", body(operation("PUT", "/labels"), spec.Body{Kind: spec.BodyJSON, Media: jsonType, Required: true, Open: true}),
			`{"team": "infra"}`,
			wire.Request{Path: "/labels", Header: headerOf("Content-Type", jsonType), Body: []byte(`{"team":"infra"}`)},
		},
		{
			"nested composition", body(operation("POST", "/pets"), spec.Body{Kind: spec.BodyJSON, Media: "application/vnd.pets+json", Fields: fields("pet")}),
			`{"pet": {"kind": "cat", "claws": 9}}`,
			wire.Request{Path: "/pets", Header: headerOf("Content-Type", "application/vnd.pets+json"), Body: []byte(`{"pet":{"claws":9,"kind":"cat"}}`)},
		},
		{
			"form", body(operation("POST", "/messages"), spec.Body{Kind: spec.BodyForm, Media: formType, Fields: fields("To", "Urls", "Meta")}),
			`{"To": "+1 5", "Urls": ["https://a/?x=1", "b"], "Meta": {"k": 1}}`,
			wire.Request{
				Path: "/messages", Header: headerOf("Content-Type", formType),
				Body: []byte("To=%2B1+5&Urls=https%3A%2F%2Fa%2F%3Fx%3D1&Urls=b&Meta=%7B%22k%22%3A1%7D"),
			},
		},
		{
			"bytes", body(operation("PUT", "/blob"), spec.Body{Kind: spec.BodyBinary, Media: "application/octet-stream", Arg: "body"}),
			`{"body": "AAEC/w=="}`,
			wire.Request{Path: "/blob", Header: headerOf("Content-Type", "application/octet-stream"), Body: []byte{0, 1, 2, 0xff}},
		},
		{
			"text", body(operation("POST", "/echo"), spec.Body{Kind: spec.BodyText, Media: "text/plain", Arg: "body"}),
			`{"body": "a \"b\""}`,
			wire.Request{Path: "/echo", Header: headerOf("Content-Type", "text/plain"), Body: []byte(`a "b"`)},
		},
		{
			"no optional body", body(operation("POST", "/run/{id}", inPath("id")), optional),
			`{"id": "1"}`,
			wire.Request{Path: "/run/1"},
		},
		{
			"optional body", body(operation("POST", "/run/{id}", inPath("id")), optional),
			`{"id": "1", "env": "x"}`,
			wire.Request{Path: "/run/1", Header: headerOf("Content-Type", jsonType), Body: []byte(`{"env":"x"}`)},
		},
		{
			"body of a DELETE", body(operation("DELETE", "/run/{id}", inPath("id")), spec.Body{Kind: spec.BodyJSON, Media: jsonType, Fields: fields("force")}),
			`{"id": "1", "force": true}`,
			wire.Request{Path: "/run/1", Header: headerOf("Content-Type", jsonType), Body: []byte(`{"force":true}`)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Method = c.op.Method
			if c.want.Header == nil {
				c.want.Header = headerOf()
			}
			got, err := wire.Build(c.op, decoded(t, c.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fields are properties of a body that are arguments of their own names.
func fields(names ...string) []spec.Field {
	out := make([]spec.Field, len(names))
	for i, name := range names {
		out[i] = spec.Field{Name: name, Arg: name}
	}
	return out
}
