package httptool

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// identityFiles writes a certificate that is its own authority, and its key.
func identityFiles(t *testing.T, host string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, "CERTIFICATE", der), writePEM(t, "PRIVATE KEY", pkcs8)
}

func writePEM(t *testing.T, kind string, der []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// secured is a TLS server for one host, which asks for a certificate of the
// gateway and says whose it got.
func secured(t *testing.T, cert, key string, change func(*tls.Config)) *httptest.Server {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		_, _ = io.WriteString(w, r.Proto+" "+who)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS10}
	if change != nil {
		change(server.TLS)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestTLS(t *testing.T) {
	cert, key := identityFiles(t, "crm.test")
	mine, myKey := identityFiles(t, "gateway")
	other, _ := identityFiles(t, "crm.test")
	old := func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11 }
	strict := func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }
	tests := []struct {
		name   string
		cfg    *TLS
		server func(*tls.Config)
		want   string // the answer, or part of the error
		code   tool.Code
	}{
		{"its authority", &TLS{CA: cert, ServerName: "crm.test"}, nil, "HTTP/2.0 nobody", ""},
		{"its certificate too", &TLS{CA: cert, ServerName: "crm.test", Cert: mine, Key: myKey}, nil, "HTTP/2.0 gateway", ""},
		{"a certificate that is asked for", &TLS{CA: cert, ServerName: "crm.test", Cert: mine, Key: myKey}, strict, "HTTP/2.0 gateway", ""},
		{"a certificate that is missing", &TLS{CA: cert, ServerName: "crm.test"}, strict, "could not be reached", tool.UpstreamUnavailable},
		{"the system's authorities", nil, nil, "certificate could not be verified", tool.UpstreamUnavailable},
		{"another authority", &TLS{CA: other, ServerName: "crm.test"}, nil, "certificate could not be verified", tool.UpstreamUnavailable},
		{"another name", &TLS{CA: cert, ServerName: "erp.test"}, nil, "certificate could not be verified", tool.UpstreamUnavailable},
		{"the name of the host", &TLS{CA: cert}, nil, "certificate could not be verified", tool.UpstreamUnavailable},
		{"an old version", &TLS{CA: cert, ServerName: "crm.test"}, old, "could not be reached", tool.UpstreamUnavailable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := secured(t, cert, key, test.server)
			u := newUpstream(t, newClient(t, loopback), UpstreamConfig{URL: server.URL, TLS: test.cfg})
			got := ask(t.Context(), t, u, message{method: "GET", url: server.URL})
			if test.code == "" && (got.err != nil || got.body != test.want) {
				t.Errorf("got %q, %v", got.body, got.err)
			}
			if test.code != "" && (got.err == nil || got.err.Code != test.code || !strings.Contains(got.err.Message, test.want)) {
				t.Errorf("got %q, %v", got.body, got.err)
			}
		})
	}
}

// TestTLSFiles: wrong files are problems at their keys, and nothing is read
// where nothing is run.
func TestTLSFiles(t *testing.T) {
	cert, key := identityFiles(t, "crm.test")
	_, otherKey := identityFiles(t, "crm.test")
	empty := writePEM(t, "NOTHING", nil)
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, make([]byte, maxPEM+1), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		cfg  TLS
		want string
	}{
		{TLS{CA: empty}, "tls.ca: the file has no certificate"},
		{TLS{CA: key}, "tls.ca: the file has no certificate"},
		{TLS{CA: cert + ".no"}, "tls.ca: " + cert + ".no cannot be read: no such file"},
		{TLS{CA: big}, "tls.ca: " + big + " cannot be read: it has more than"},
		{TLS{Cert: cert, Key: otherKey}, "tls.cert: certificate and key cannot be used: private key does not match"},
		{TLS{Cert: empty, Key: key}, "tls.cert: certificate and key cannot be used"},
		{TLS{Cert: cert, Key: key + ".no"}, "tls.key: "},
	}
	for _, test := range tests {
		for _, secrets := range []map[string]secret.Value{{}, nil} {
			var report diag.Report
			cfg := UpstreamConfig{URL: "https://crm.test", TLS: &test.cfg}
			u := newClient(t, nil).NewUpstream(diag.NewCursor(&report, listed), "crm", cfg, UpstreamDeps{Secrets: secrets})
			switch problems := report.Problems(); {
			case secrets == nil && (u == nil || len(problems) > 0):
				t.Errorf("lint read a file: %v", problems)
			case secrets != nil && (u != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].String(), test.want)):
				t.Errorf("got %v, want %s", problems, test.want)
			}
		}
	}
}
