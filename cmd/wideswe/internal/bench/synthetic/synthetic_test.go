package synthetic_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/bench/synthetic"
	"github.com/wideswe/wideswe/pipeline/reference"
)

// The corpus has the mix it says it has; figures of another mix would say nothing.
func TestTheMix(t *testing.T) {
	c := synthetic.New(20_000, 7)
	if n := c.Size(); n < 18_000 || n > 22_000 {
		t.Errorf("%d pulls, want about 20,000", n)
	}
	if n := len(c.Ecosystems()); n != 103 {
		t.Errorf("%d ecosystems", n)
	}
	names, repositories := map[string]string{}, []reference.Repository{}
	for _, r := range c.Repositories {
		if names[r.Name] != "" {
			t.Errorf("%s is there twice", r.Name)
		}
		names[r.Name] = r.Ecosystem
		repositories = append(repositories, reference.Repository{ID: r.ID, Name: r.Name, Ecosystem: r.Ecosystem})
	}
	inv := reference.NewInventory(repositories, nil)
	pulls, bytes, empty, programs, linked := 0, 0, 0, 0, 0
	for i, r := range c.Repositories {
		for n := 1; n <= r.Pulls; n++ {
			p := c.Pull(i, n)
			pulls++
			bytes += len(p.Body)
			if p.Body == "" {
				empty++
			}
			if p.AuthorType == "Bot" {
				programs++
			}
			for _, l := range reference.PaperLinks(p.Title, p.Body) {
				if to, ok := inv.Lookup(l.Owner, l.Name); ok && to.ID != r.ID && to.Ecosystem == r.Ecosystem {
					linked++
					break
				}
			}
		}
	}
	between := func(what string, got, low, high float64) {
		t.Helper()
		if got < low || got > high {
			t.Errorf("%s: %.3f, want between %.3f and %.3f", what, got, low, high)
		}
	}
	of := func(n int) float64 { return float64(n) / float64(pulls) }
	between("bytes a body", of(bytes), 1450, 1750)
	between("empty bodies", of(empty), 0.10, 0.14)
	between("programs", of(programs), 0.11, 0.16)
	between("with a link by the paper's rule", of(linked), 0.05, 0.075)
}

func TestAPullIsTheSameByItself(t *testing.T) {
	a, b := synthetic.New(3_000, 7), synthetic.New(3_000, 7)
	last := len(a.Repositories) - 1
	a.Pull(0, 1)
	if d := cmp.Diff(a.Pull(last, 1), b.Pull(last, 1)); d != "" {
		t.Error(d)
	}
	if cmp.Equal(a.Pull(0, 1), synthetic.New(3_000, 8).Pull(0, 1)) {
		t.Error("another seed makes the same pull")
	}
}

func BenchmarkPull(b *testing.B) {
	c := synthetic.New(20_000, 7)
	for i := range b.N {
		c.Pull(0, 1+i%c.Repositories[0].Pulls)
	}
}
