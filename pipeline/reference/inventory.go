package reference

import (
	"sort"
	"strings"
)

// Repository is a repository of the inventory.
type Repository struct {
	ID        int64
	Name      string // owner/name as the host spells it
	Ecosystem string
}

// Alias says what a written name means that is not a present one.
type Alias struct {
	Written      string // owner/name
	RepositoryID int64  // 0: no repository of the inventory
}

// Inventory is the repositories that references can mean.
type Inventory struct {
	byName  map[string]Repository // lower case
	byID    map[int64]Repository
	aliases map[string]int64
}

// NewInventory makes an inventory. Present names win over aliases: whoever took
// an old name has it now.
func NewInventory(repositories []Repository, aliases []Alias) *Inventory {
	inv := &Inventory{byName: map[string]Repository{}, byID: map[int64]Repository{}, aliases: map[string]int64{}}
	for _, r := range repositories {
		inv.byName[strings.ToLower(r.Name)] = r
		inv.byID[r.ID] = r
	}
	for _, a := range aliases {
		inv.aliases[strings.ToLower(a.Written)] = a.RepositoryID
	}
	return inv
}

// Repositories lists the inventory in the order of names.
func (inv *Inventory) Repositories() []Repository {
	all := make([]Repository, 0, len(inv.byName))
	for _, r := range inv.byName {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// ByID gives the repository with this number.
func (inv *Inventory) ByID(id int64) (Repository, bool) {
	r, ok := inv.byID[id]
	return r, ok
}

// Lookup finds a repository by a written name; case folds and renames resolve.
func (inv *Inventory) Lookup(owner, name string) (Repository, bool) {
	var room [maxOwner + 1 + maxName]byte
	key := folded(room[:0], owner, name)
	if r, ok := inv.byName[string(key)]; ok {
		return r, true
	}
	if id := inv.aliases[string(key)]; id != 0 {
		return inv.ByID(id)
	}
	return Repository{}, false
}

// folded appends owner/name in lower case.
func folded(key []byte, owner, name string) []byte {
	for _, s := range [...]string{owner, "/", name} {
		for i := range len(s) {
			c := s[i]
			if c >= 0x80 { // no name of the host has such a byte
				return []byte(strings.ToLower(owner + "/" + name))
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			key = append(key, c)
		}
	}
	return key
}

// Known says whether the inventory can answer for a name: it is a repository's,
// or an alias, be it of one outside. Crawl asks the host about the others.
func (inv *Inventory) Known(owner, name string) bool {
	key := strings.ToLower(owner + "/" + name)
	if _, ok := inv.byName[key]; ok {
		return true
	}
	_, ok := inv.aliases[key]
	return ok
}

// Resolve finds the repository that a reference means.
func (inv *Inventory) Resolve(r Reference) (Repository, bool) {
	if r.RepositoryID != 0 {
		return inv.ByID(r.RepositoryID)
	}
	return inv.Lookup(r.Owner, r.Name)
}

// MayGroup says whether a reference may join its source and target into one
// change, and why not. It looks at the reference alone: whether the target is
// merged, a hub or a tracker is for the grouping to say.
func (inv *Inventory) MayGroup(r Reference, source, target Repository) (ok bool, reason string) {
	switch {
	case source.ID == target.ID:
		return false, "same repository"
	case target.Ecosystem != source.Ecosystem || source.Ecosystem == "":
		return false, "another ecosystem"
	case r.Relation.Negative():
		return false, "relation " + string(r.Relation)
	case r.Kind == Discussion:
		return false, "a discussion"
	}
	for _, f := range barring {
		if r.Has(f) {
			return false, "flag " + string(f)
		}
	}
	// A name alone is a guess; the writer's own word that the two belong together
	// makes it good.
	if r.Form == NameOnly && !r.Relation.Strong() && r.Relation != PicksUp {
		return false, NameAlone
	}
	return true, ""
}

// NameAlone is the reason why a name without an owner joins nothing by itself.
const NameAlone = "name alone"

// barring are the flags that keep a reference from joining pulls.
var barring = []Flag{Bot, Quote, Changelog, Struck, Redirect, Release, Rollup}
