package sandbox

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	engine "github.com/docker/docker/api/types/image"
)

// Labels that tell what an image of ours is.
const (
	labelStage      = "wideswe.stage"
	labelRepository = "wideswe.repository"
	labelTask       = "wideswe.task"
	labelVersion    = "wideswe.version"
	labelOn         = "wideswe.on" // id of the image below

	stageWorkspace = "workspace"
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
	InUse      bool // a container, or a living process's workspace, stands on it
	on         string
}

// noteUse notes that an image is about to be used. Labels can't change once an image
// is made; when it was last tagged can, by giving it its own name again. So the
// engine itself keeps the note, beside the image, for every process, folder and
// person that shares it.
func (d *Docker) noteUse(ctx context.Context, img Image) {
	// A note that fails costs at most a rebuild one day.
	_ = d.api.ImageTag(ctx, img.ID, img.Name)
}

// Images lists the images that wideswe made, the least recently used first; an
// image counts as used when one that stands on it is.
func (d *Docker) Images(ctx context.Context) ([]DiskImage, error) {
	summaries, err := d.api.ImageList(ctx, engine.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelKey))})
	if err != nil {
		return nil, d.trouble("listing images", err)
	}
	var list []DiskImage
	for _, s := range summaries {
		if s.Labels[labelKey] == "" && s.Labels[labelStage] != stageWorkspace {
			continue
		}
		i, err := d.diskImage(ctx, s)
		if cerrdefs.IsNotFound(err) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	used, err := d.usedImages(ctx)
	if err != nil {
		return nil, err
	}
	relate(list, used)
	return list, nil
}

// parent is the image that an engine committed this one on, where it still tells.
func parent(info engine.InspectResponse) string {
	//lint:ignore SA1019 engines that don't tell leave it empty, and the label speaks
	return info.Parent
}

func (d *Docker) diskImage(ctx context.Context, s engine.Summary) (DiskImage, error) {
	info, err := d.api.ImageInspect(ctx, s.ID)
	if err != nil {
		return DiskImage{}, err
	}
	l := s.Labels
	i := DiskImage{ID: s.ID, Key: l[labelKey], Stage: cmp.Or(l[labelStage], "image"), Repository: l[labelRepository], Task: l[labelTask], Version: l[labelVersion],
		Own: info.Size, Created: time.Unix(s.Created, 0).UTC(), LastUsed: info.Metadata.LastTagTime.UTC(), on: cmp.Or(parent(info), l[labelOn])}
	if len(s.RepoTags) > 0 && s.RepoTags[0] != "<none>:<none>" {
		i.Name = s.RepoTags[0]
	}
	if i.LastUsed.Before(i.Created) {
		i.LastUsed = i.Created
	}
	if below, err := d.api.ImageInspect(ctx, i.on); i.on != "" && err == nil {
		i.Own, i.Shared = info.Size-below.Size, below.Size
	}
	return i, nil
}

// usedImages are those that containers were made from, running or not.
func (d *Docker) usedImages(ctx context.Context) (map[string]bool, error) {
	list, err := d.api.ContainerList(ctx, container.ListOptions{All: true})
	if err != nil {
		return nil, d.trouble("listing containers", err)
	}
	used := map[string]bool{}
	for _, c := range list {
		used[c.ImageID] = true
	}
	return used, nil
}

// relate carries use from images to those they stand on, and sorts.
func relate(list []DiskImage, used map[string]bool) {
	at := map[string]int{}
	for n, i := range list {
		at[i.ID] = n
	}
	for n := range list {
		list[n].InUse = list[n].InUse || used[list[n].ID] || list[n].Stage == stageWorkspace
		for below, ok := at[list[n].on]; ok; below, ok = at[list[below].on] {
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

// Choose picks what goes from a list that [Docker.Images] gave: all that is older,
// the least recently used first, until the rest fits the budget. Images that others
// stand on go after those. What lost its name to a newer one of its kind always goes.
func (p Prune) Choose(list []DiskImage) (gone []DiskImage) {
	total, standing := int64(0), map[string]int{}
	for _, i := range list {
		total += i.Own
		standing[i.on]++
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
			standing[i.on]--
			gone = append(gone, i)
			break // from the front: what stood below may be the least recently used now
		}
	}
	return gone
}

// RemoveUnused removes an image of ours, unless somebody began to use it meanwhile.
func (d *Docker) RemoveUnused(ctx context.Context, i DiskImage) (bool, error) {
	info, err := d.api.ImageInspect(ctx, i.ID)
	if cerrdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, d.trouble("inspecting an image", err)
	}
	if info.Config == nil || info.Config.Labels[labelKey] != i.Key || info.Metadata.LastTagTime.After(i.LastUsed.Add(time.Second)) {
		return false, nil
	}
	// By its name where it has one; without force, so that the engine refuses what is in use.
	_, err = d.api.ImageRemove(ctx, cmp.Or(i.Name, i.ID), engine.RemoveOptions{PruneChildren: false})
	if cerrdefs.IsConflict(err) || cerrdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, d.trouble("removing an image", err)
}
