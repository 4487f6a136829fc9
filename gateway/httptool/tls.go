package httptool

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// maxPEM is the most bytes read of a file of certificates or of a key.
const maxPEM = 1 << 20

// tls compiles the "tls" block of an upstream; nil stands for one that says
// nothing. Files are read only where something is going to run.
func (c *compiler) tls(at diag.Cursor, cfg UpstreamConfig, deps UpstreamDeps) *tls.Config {
	if cfg.TLS == nil || *cfg.TLS == (TLS{}) {
		return nil
	}
	own := *cfg.TLS
	switch {
	case strings.HasPrefix(cfg.URL, "http://"):
		c.wrong(at, "write the url with https://, or remove tls", "the upstream is reached without TLS")
	case own.Cert == "" && own.Key != "":
		c.wrong(at.Key("key"), "write cert: with its file too", "a key goes with a certificate")
	case own.Cert != "" && own.Key == "":
		c.wrong(at.Key("cert"), "write key: with its file too", "a certificate goes with a key")
	case own.ServerName != "" && !isHost("https://"+own.ServerName):
		c.wrong(at.Key("server_name"), "write the host alone", "%q is not the name of a host", own.ServerName)
	}
	made := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: own.ServerName}
	if deps.Secrets == nil || c.failed {
		return made
	}
	if own.CA != "" {
		made.RootCAs = c.roots(at.Key("ca"), own.CA)
	}
	if own.Cert != "" {
		made.Certificates = c.identity(at, own)
	}
	return made
}

func (c *compiler) roots(at diag.Cursor, file string) *x509.CertPool {
	data := c.file(at, file)
	pool := x509.NewCertPool()
	if data != nil && !pool.AppendCertsFromPEM(data) {
		c.wrong(at, "", "the file has no certificate in PEM form")
	}
	return pool
}

func (c *compiler) identity(at diag.Cursor, own TLS) []tls.Certificate {
	chain, key := c.file(at.Key("cert"), own.Cert), c.file(at.Key("key"), own.Key)
	if chain == nil || key == nil {
		return nil
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		c.wrong(at.Key("cert"), "", "certificate and key cannot be used: %s", strings.TrimPrefix(err.Error(), "tls: "))
		return nil
	}
	return []tls.Certificate{pair}
}

// file reads a file as a whole; nil stands for one that cannot be read.
func (c *compiler) file(at diag.Cursor, name string) []byte {
	data, err := readFile(name)
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		c.wrong(at, "", "%s cannot be read: %v", name, err)
		return nil
	}
	return data
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err == nil && len(data) > maxPEM {
		return nil, fmt.Errorf("it has more than %d bytes", maxPEM)
	}
	return data, err
}
