package image

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrivates(t *testing.T) {
	got := privates(map[string]string{
		"PIP_INDEX_URL": "https://me:s3cret@mirror.example/simple/",
		"NPM_TOKEN":     "abcdef123", "SSL_CERT_FILE": "/etc/ssl/certs/x.pem", "GOFLAGS": "-mod=mod", "LANG": "C.UTF-8",
		"GOPROXY": "https://go.example/,https://other.example,direct",
	}, map[string][]byte{
		"/etc/npmrc": []byte("registry=https://npm.example/r/\n//npm.example/:_authToken=tok-12345\n"),
		"/etc/ca":    []byte("-----BEGIN CERTIFICATE-----\nhttps://ca.example/path\n"),
	})
	want := []string{"https://me:s3cret@mirror.example/simple", "https://mirror.example/simple", "https://npm.example/r",
		"https://other.example", "https://go.example", "abcdef123", "me:s3cret", "tok-12345"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
