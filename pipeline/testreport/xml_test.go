package testreport

import "testing"

// A document that is not in order is one in which something is missing or was put in.
func TestXMLOutOfOrderIsAProblem(t *testing.T) {
	for name, c := range map[string]struct{ format, text string }{
		"ends cross in JUnit": {JUnit, `<testsuites><testsuite name="s"><testcase classname="c" name="n"></testsuite></testcase></testsuites>`},
		"ends cross in TRX":   {TRX, `<TestRun><Results></TestRun></Results>`},
		"one end too many":    {JUnit, `<testsuites><testsuite name="s"><testcase classname="c" name="n"/></testsuite></testsuites></testsuite>`},
		"no end":              {JUnit, `<testsuites><testsuite name="s"><testcase classname="c" name="n"/></testsuite>`},
		"a DTD":               {TRX, `<!DOCTYPE x [<!ENTITY a "b">]><TestRun></TestRun>`},
		"another root":        {TRX, `<testsuites></testsuites>`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Parse(c.format, map[string][]byte{"001.trx": []byte(c.text)})
			if err != nil {
				t.Fatal(err)
			}
			if r.count(Cut)+r.count(Unreadable) == 0 {
				t.Errorf("nothing is said: %+v", r.Problems)
			}
		})
	}
}
