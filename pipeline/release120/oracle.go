package release120

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
)

// oracleFile is oracles/hidden_test_oracle.json: what each test did on base and on gold.
type oracleFile struct {
	Profiles []oracleProfile `json:"profiles"`
}

type oracleProfile struct {
	Profile string      `json:"profile"`
	F2P     []oracleRow `json:"fail_to_pass"`
	P2P     []oracleRow `json:"pass_to_pass"`
	Missing []oracleRow `json:"missing_in_base"`
}

type oracleRow struct {
	ID   string `json:"id"`
	Gold string `json:"gold_status"`
}

// checkOracle compares the lists with the oracle that they were made of, and the oracle
// with the checksum that the manifest has of it. Of a case of the release the checksum
// differs, and the rows do not: so it warns.
func (f caseFiles) checkOracle(c *Case, m manifestFile) error {
	name := path.Join("oracles", path.Base(m.Oracle.Path))
	var o oracleFile
	b, err := f.json(name, &o)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(got, m.Oracle.SHA256) {
		c.Warnings = append(c.Warnings, Problem{f.entry.Case, name, "sha256",
			fmt.Sprintf("%s, and scoring_manifest.json has %s", got, m.Oracle.SHA256)})
	}
	f2p, p2p := o.scored()
	for _, x := range c.Targets {
		for _, t := range x.F2P {
			if !f2p[t] {
				return f.problem(name, "profiles", "%s of %s is not fail_to_pass there, and in the manifest it is", t.ID, t.Profile)
			}
		}
		for _, t := range x.P2P {
			if !p2p[t] {
				return f.problem(name, "profiles", "%s of %s is not pass_to_pass there, and in the manifest it is", t.ID, t.Profile)
			}
		}
	}
	return nil
}

// scored gives the tests that the authors' rule takes: F2P is also what base did not
// report and gold passes.
func (o oracleFile) scored() (f2p, p2p map[Test]bool) {
	f2p, p2p = map[Test]bool{}, map[Test]bool{}
	for _, p := range o.Profiles {
		for _, r := range p.F2P {
			f2p[Test{p.Profile, r.ID}] = true
		}
		for _, r := range p.Missing {
			if r.Gold == "passed" {
				f2p[Test{p.Profile, r.ID}] = true
			}
		}
		for _, r := range p.P2P {
			p2p[Test{p.Profile, r.ID}] = true
		}
	}
	return f2p, p2p
}
