package mine

import (
	"testing"
)

func TestParseEcosystem(t *testing.T) {
	got, err := parseEcosystem("prom=prometheus,prometheus-community/stackdriver_exporter")
	if err != nil || got.Organizations[0] != "prometheus" ||
		got.Repositories[0] != "prometheus-community/stackdriver_exporter" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "name", "=org", "name="} {
		if _, err := parseEcosystem(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
