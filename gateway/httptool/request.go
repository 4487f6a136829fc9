package httptool

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

const userAgent = "toolgate"

// request builds the request of one call.
func (r *runner) request(ctx context.Context, args map[string]any) (*http.Request, error) {
	vars := r.requestEnv.Vars(map[string]any{"args": args, "secret": reveal(r.secrets)})
	address, err := r.target.url(vars)
	if err != nil {
		return nil, err
	}
	header, err := r.header(vars)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if r.body != nil {
		data, err := r.body.Render(vars)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.target.origin, body)
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the request of this tool is not valid").Because(withoutQuery(err))
	}
	req.URL, req.Header = address, header
	return req, nil
}

func (r *runner) header(vars *expression.Vars) (http.Header, error) {
	header := http.Header{"User-Agent": {userAgent}}
	if r.body != nil {
		header.Set("Content-Type", "application/json")
	}
	for _, f := range r.headers {
		values, err := f.values(vars)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			if !isHeaderValue(value) {
				return nil, tool.Errorf(tool.InvalidArgs, "the value for the header %s holds line breaks or control characters", f.name).
					WithHint("Send it as one line of plain text.")
			}
		}
		if len(values) > 0 {
			header[http.CanonicalHeaderKey(f.name)] = values
		}
	}
	return header, nil
}

// values are the texts of a field; one that is absent is left out.
func (f field) values(vars *expression.Vars) ([]string, error) {
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

// reveal opens the secrets for the one request they are for.
func reveal(secrets map[string]secret.Value) map[string]any {
	open := make(map[string]any, len(secrets))
	for name, value := range secrets {
		open[name] = value.Reveal()
	}
	return open
}
