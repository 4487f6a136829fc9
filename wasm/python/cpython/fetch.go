package cpython

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"time"
)

const (
	maxDownload  = 512 << 20 // bytes
	downloadTime = 30 * time.Minute
	stallTime    = time.Minute // without one byte
	maxRedirects = 5
)

// isURL reports whether a source is an address, and not a path.
func isURL(source string) bool {
	u, err := url.Parse(source)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// mayFetch is an error for an address that could be changed on its way: only this
// machine is asked without TLS.
func mayFetch(u *url.URL) error {
	ip, err := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	switch {
	case u.Scheme == "https", u.Scheme == "http" && local:
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("%s is without TLS: only https is fetched from another machine", shown(u))
	}
	return fmt.Errorf("%s is not https", shown(u))
}

// shown is an address without what could be a credential in it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// download writes what an address has into a file.
func (i *installation) download(ctx context.Context, address, path string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeoutCause(ctx, downloadTime, fmt.Errorf("the download took longer than %s", downloadTime))
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(i.stall, func() { cancel(fmt.Errorf("nothing came for %s", i.stall)) })
	defer stalled.Stop()
	err = i.fetch(ctx, u, path, func() { stalled.Reset(i.stall) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // its text has the whole address
	}
	return fmt.Errorf("%s: %w", shown(u), err)
}

func (i *installation) fetch(ctx context.Context, u *url.URL, path string, alive func()) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	response, err := i.client().Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it is only read
	switch {
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the server answers %s", response.Status)
	case response.ContentLength > maxDownload:
		return fmt.Errorf("it has %d bytes, and at most %d are fetched", response.ContentLength, maxDownload)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	meter := &meter{Reader: response.Body, alive: alive, tell: func(n int64) { i.tell("downloading", n, response.ContentLength) }}
	n, err := io.Copy(file, io.LimitReader(meter, maxDownload+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it was cut off after %d of %d bytes", n, response.ContentLength)
	case err == nil && n > maxDownload:
		return fmt.Errorf("it has more than the %d bytes that are fetched", maxDownload)
	}
	return err
}

// client is the caller's client, or one of its own, which follows a few redirects to
// addresses that may be fetched.
func (i *installation) client() *http.Client {
	client := &http.Client{}
	if i.HTTP != nil {
		*client = *i.HTTP
	} else if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = transport.Clone()
		transport.DisableCompression = true // the bytes are what is hashed
		transport.DisableKeepAlives = true
		client.Transport = transport
	}
	client.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("it is redirected more than %d times", maxRedirects)
		}
		if via[0].URL.Scheme == "https" && request.URL.Scheme != "https" {
			return fmt.Errorf("it is redirected to %s, which is not https", shown(request.URL))
		}
		return mayFetch(request.URL)
	}
	return client
}

// meter tells of what is read.
type meter struct {
	io.Reader
	alive func()
	tell  func(n int64)
	n     int64
	told  time.Time
}

// tellEvery is how often progress is told.
const tellEvery = 100 * time.Millisecond

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.n += int64(n)
	if n > 0 {
		m.alive()
	}
	if now := time.Now(); now.Sub(m.told) >= tellEvery || err == io.EOF {
		m.told = now
		m.tell(m.n)
	}
	return n, err
}
