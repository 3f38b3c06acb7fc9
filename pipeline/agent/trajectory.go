package agent

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Bounds of the files that are kept as a run's trajectory.
const (
	maxTrajectory      = 256 << 20
	maxTrajectoryFiles = 5000
	maxTrajectoryScan  = 1_000_000 // entries looked at
)

// trajectory keeps the files that the agent's file names, below trajectory/ by their
// paths.
func (o *running) trajectory(ctx context.Context, left sandbox.Left) error {
	if len(o.r.Agent.Trajectory) == 0 {
		return nil
	}
	to := filepath.Join(o.keep, "trajectory")
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	k := &keeper{o: o, root: root, left: maxTrajectory}
	for _, p := range o.r.Agent.Trajectory {
		if err := k.pattern(ctx, left, o.at(p)); err != nil {
			return fmt.Errorf("keeping the trajectory: %w", err)
		}
	}
	return nil
}

// keeper keeps trajectory files within bounds.
type keeper struct {
	o    *running
	root *os.Root
	left int64
}

func (k *keeper) pattern(ctx context.Context, left sandbox.Left, pattern string) error {
	prefix, below := splitPattern(pattern)
	s, err := left(ctx, prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	tr := tar.NewReader(s)
	for range maxTrajectoryScan {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		_, name, inside := strings.Cut(h.Name, "/")
		if h.Typeflag != tar.TypeReg || inside != (below != nil) || below != nil && !below.MatchString(name) {
			continue
		}
		if err := k.keep(path.Join(strings.TrimPrefix(prefix, "/"), name), h.Size, tr); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) keep(name string, size int64, r io.Reader) error {
	rec := k.o.record
	drop := func(reason string) error {
		rec.TrajectoryLeftOut = append(rec.TrajectoryLeftOut, LeftOut{pipeline.Printable(name), 1, size, reason})
		return nil
	}
	switch why := patch.CheckPath(name); {
	case why != "":
		return drop(why)
	case len(rec.Trajectory) >= maxTrajectoryFiles:
		if len(rec.TrajectoryLeftOut) < maxLeftOut {
			return drop(fmt.Sprintf("more than %d files", maxTrajectoryFiles))
		}
		return nil
	case size > k.left:
		return drop(fmt.Sprintf("more than %d bytes in all", int64(maxTrajectory)))
	}
	b, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil {
		return err
	}
	k.left -= size
	rec.Trajectory = append(rec.Trajectory, pipeline.Printable(name))
	return errors.Join(k.root.MkdirAll(path.Dir(name), 0o755), k.root.WriteFile(name, k.o.r.secrets.Redact(b), 0o644))
}
