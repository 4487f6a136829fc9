package httptool

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	userAgent   = "toolgate"
	contentType = "Content-Type" // as net/http spells it in a Header
)

// maker makes the request of one call.
type maker interface {
	request(ctx context.Context, args map[string]any) (*http.Request, error)
}

// surroundings are what requests of a tool are made with, beside arguments.
type surroundings struct {
	env     *expression.Env
	secrets func() map[string]any // opened at the first call
	headers []field               // of the upstream
}

func (s *surroundings) vars(args map[string]any) *expression.Vars {
	return s.env.Vars(map[string]any{"args": args, "secret": s.secrets()})
}

// written is a request that the configuration writes: all of it is templates.
type written struct {
	surroundings
	method  string
	target  target
	headers []field // in place of those of the upstream
	body    *body   // nil for none
}

func (r *written) request(ctx context.Context, args map[string]any) (*http.Request, error) {
	vars := r.vars(args)
	address, err := r.target.url(vars)
	if err != nil {
		return nil, err
	}
	var data []byte
	media := ""
	if r.body != nil {
		if data, media, err = r.body.render(vars); err != nil {
			return nil, err
		}
		if err := checkSize(len(data)); err != nil {
			return nil, err
		}
	}
	header, err := r.header(vars, media)
	if err != nil {
		return nil, err
	}
	return newRequest(ctx, r.method, address, header, data)
}

// newRequest makes a request whose body, where there is one, can be sent again.
func newRequest(ctx context.Context, method string, address *url.URL, header http.Header, data []byte) (*http.Request, error) {
	// The address stands already; parsing it once more would only take time.
	req, err := http.NewRequestWithContext(ctx, method, "/", http.NoBody)
	if data != nil && err == nil {
		req, err = http.NewRequestWithContext(ctx, method, "/", bytes.NewReader(data))
	}
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the request of this tool is not valid").Because(withoutQuery(err))
	}
	req.URL, req.Host, req.Header = address, address.Host, header
	return req, nil
}

// header is the header of a request whose body is of the media type, empty for
// no body. Of two fields of one name that of the tool stands, and an absent one
// is none.
func (r *written) header(vars *expression.Vars, media string) (http.Header, error) {
	header := http.Header{"User-Agent": {userAgent}}
	if err := add(header, r.surroundings.headers, vars); err != nil {
		return nil, err
	}
	switch {
	case media == "":
		delete(header, contentType) // the upstream's is about bodies
	case !r.body.isJSON || header[contentType] == nil:
		header[contentType] = []string{media}
	}
	if err := add(header, r.headers, vars); err != nil {
		return nil, err
	}
	if r.body != nil && media == "" {
		delete(header, contentType)
	}
	return header, nil
}

// add puts fields into a header, each in place of what it holds of that name.
func add(header http.Header, fields []field, vars *expression.Vars) error {
	for i := range fields {
		f := &fields[i]
		values, err := f.values(vars)
		if err != nil {
			return err
		}
		for _, value := range values {
			if err := checkValue(f.name, value); err != nil {
				return err
			}
		}
		if len(values) > 0 {
			header[f.name] = values
		}
	}
	return nil
}

// checkValue holds what an argument made of a header to one line.
func checkValue(name, value string) error {
	if isHeaderValue(value) {
		return nil
	}
	return tool.Errorf(tool.InvalidArgs, "the value for the header %s holds line breaks or control characters", name).
		WithHint("Send it as one line of plain text.")
}

// values are the texts of a field; one that is absent is left out. They must
// not be changed.
func (f *field) values(vars *expression.Vars) ([]string, error) {
	if f.fixed != nil {
		return f.fixed, nil
	}
	var out []string
	for _, t := range f.texts {
		texts, err := t.List(vars)
		if err != nil {
			return nil, err
		}
		out = append(out, texts...)
	}
	return out, nil
}
