package buildfailure

import (
	"strings"
	"testing"
)

func TestExplainerSaysWhyInOneLine(t *testing.T) {
	explain := Explainer()
	for _, c := range []struct{ name, tail, want string }{
		{"apt", "wideswe+ apt-get install -q -y libfoo9\nReading package lists...\nE: Unable to locate package libfoo9\n",
			"apt-get install -q -y libfoo9: apt has no package libfoo9 (E: Unable to locate package libfoo9); correct packages"},
		{"apt candidate", "E: Package 'python2' has no installation candidate\n", "apt has no package python2"},
		{"command", "wideswe+ poetry install\n/tmp/wideswe-build/step-0: 3: poetry: not found\n",
			"poetry install: there is no command poetry"},
		{"disk", "tar: write error: No space left on device\n", "the disk is full"},
		{"dns", "W: Failed to fetch http://deb.example/x  Temporary failure resolving 'deb.example'\n",
			"the name of the host deb.example can't be resolved"},
		{"tls", "curl: (60) SSL certificate problem: unable to get local issuer certificate\n",
			"a certificate is not trusted"},
		{"refused", "dial tcp 10.0.0.1:443: connect: connection refused\n", "build.env"},
		{"unknown", "one\nERROR: the flux is low\ntwo\nthree\nfour\n", "ERROR: the flux is low"},
		{"silent", "one\ntwo\n", "one | two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := explain(c.tail, 1)
			if !strings.Contains(got, c.want) || strings.Contains(got, "\n") || strings.Contains(got, tracePrefix) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if got := explain("compiling\n", 137); !strings.Contains(got, "raise validate.memory") {
		t.Error(got)
	}
}
