package httptool

import (
	"context"
	"fmt"
	"net/http"
)

// Probe asks whether something answers at an address: one GET whose answer's
// body is not read. A status below 500 is an answer, and so is a redirect,
// which is not followed. The same networks apply as to tools. The error is for
// the operator and shows no query.
func (c *Client) Probe(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return withoutQuery(err)
	}
	asker := http.Client{
		Transport:     c.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := asker.Do(req)
	if err != nil {
		return withoutQuery(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("it answers with status %d", resp.StatusCode)
	}
	return nil
}
