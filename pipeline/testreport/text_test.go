package testreport

import "testing"

func TestMasks(t *testing.T) {
	for in, want := range map[string]string{
		"TestDial/127.0.0.1:43121":                  "TestDial/127.0.0.1:PORT",
		"TestDial/[::1]:43121_ok":                   "TestDial/[::1]:PORT_ok",
		"TestDial//ip4/127.0.0.1/tcp/4001/p2p":      "TestDial//ip4/127.0.0.1/tcp/PORT/p2p",
		"test_x[<object at 0x7f3a9c0d1e20>]":        "test_x[<object at 0xADDR>]",
		"TestPtr/0xc000123456":                      "TestPtr/0xADDR",
		"TestHex/0xdeadbeef":                        "TestHex/0xdeadbeef",
		"TestOpen//tmp/go-build123/x.txt":           "TestOpen//TMP",
		"tests/tmp/test_a.py":                       "tests/tmp/test_a.py",
		"reads /workspace/acme/lib/testdata/x.json": "reads testdata/x.json",
		"\x1b[32mgreen\x1b[0m name":                 "green name",
		"TestWait/10s":                              "TestWait/10s",
	} {
		if got := maskName(in); got != want {
			t.Errorf("maskName(%q) = %q, want %q", in, got, want)
		}
	}
}
