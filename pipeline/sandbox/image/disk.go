package image

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// DiskImage is an image that wideswe made, as it lies on the disk.
type DiskImage struct {
	ID         string
	Name       string // "" where another took its name
	Key        string
	Stage      string
	Repository string
	Task       string // that it was made for
	Version    string // of the rules that made it
	Own        int64  // bytes that only this image and those on it need
	Shared     int64  // bytes of the images below
	Created    time.Time
	LastUsed   time.Time
	InUse      bool   // a container, or a living process's workspace, stands on it
	On         string // id of the image below
}

// RelateUse carries use from images to those they stand on, and sorts.
func RelateUse(list []DiskImage, used map[string]bool) {
	at := map[string]int{}
	for n, i := range list {
		at[i.ID] = n
	}
	for n := range list {
		list[n].InUse = list[n].InUse || used[list[n].ID] || list[n].Stage == StageWorkspace
		for below, ok := at[list[n].On]; ok; below, ok = at[list[below].On] {
			list[below].InUse = list[below].InUse || list[n].InUse
			if list[n].LastUsed.After(list[below].LastUsed) {
				list[below].LastUsed = list[n].LastUsed
			}
		}
	}
	slices.SortFunc(list, func(a, b DiskImage) int {
		return cmp.Or(a.LastUsed.Compare(b.LastUsed), b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
}

// Prune says which images go.
type Prune struct {
	// Budget is how many bytes may stay; negative is any number.
	Budget int64
	// Older lets go only what was not used for so long.
	Older time.Duration
	Now   time.Time
}

// grace keeps what was just found or made and has no container yet.
const grace = 10 * time.Minute

// Choose picks what goes from a list that [RelateUse] sorted: all that is older,
// the least recently used first, until the rest fits the budget. Images that others
// stand on go after those. What lost its name to a newer one of its kind always goes.
func (p Prune) Choose(list []DiskImage) (gone []DiskImage) {
	total, standing := int64(0), map[string]int{}
	for _, i := range list {
		total += i.Own
		standing[i.On]++
	}
	// What serves nobody makes room first.
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b DiskImage) int { return min(1, len(a.Name)) - min(1, len(b.Name)) })
	removed := map[string]bool{}
	for again := true; again; {
		again = false
		for _, i := range list {
			unused := p.Now.Sub(i.LastUsed)
			switch {
			case removed[i.ID], i.InUse, standing[i.ID] > 0, unused < grace:
				continue
			case i.Name == "":
			case unused < p.Older, p.Budget >= 0 && total <= p.Budget:
				continue
			}
			removed[i.ID], again = true, true
			total -= i.Own
			standing[i.On]--
			gone = append(gone, i)
			break // from the front: what stood below may be the least recently used now
		}
	}
	return gone
}
