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
	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Bounds of the files that are kept as a run's trajectory.
const (
	maxTrajectory      = 256 << 20
	maxTrajectoryFiles = 5000
	maxTrajectoryScan  = 1_000_000 // entries looked at
)

// saveTrajectory copies the files that the agent's file names to trajectory/, under their paths.
func (a *attempt) saveTrajectory(ctx context.Context, left sandbox.Left) error {
	if len(a.runner.Agent.Trajectory) == 0 {
		return nil
	}
	to := filepath.Join(a.keptDir, "trajectory")
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	k := &trajectoryFolder{attempt: a, root: root, left: maxTrajectory}
	for _, p := range a.runner.Agent.Trajectory {
		if err := k.pattern(ctx, left, a.sandboxPath(p)); err != nil {
			return fmt.Errorf("keeping the trajectory: %w", err)
		}
	}
	return nil
}

// trajectoryFolder receives trajectory files within bounds.
type trajectoryFolder struct {
	attempt *attempt
	root    *os.Root
	left    int64
}

func (k *trajectoryFolder) pattern(ctx context.Context, left sandbox.Left, pattern string) error {
	prefix, below := agentfile.SplitPattern(pattern)
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

func (k *trajectoryFolder) keep(name string, size int64, r io.Reader) error {
	rec := k.attempt.record
	drop := func(reason string) error {
		rec.TrajectoryLeftOut = append(rec.TrajectoryLeftOut,
			collect.LeftOut{Path: pipeline.Printable(name), Files: 1, Bytes: size, Reason: reason})
		return nil
	}
	switch why := patch.CheckPath(name); {
	case why != "":
		return drop(why)
	case len(rec.Trajectory) >= maxTrajectoryFiles:
		if len(rec.TrajectoryLeftOut) < collect.MaxLeftOut {
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
	return errors.Join(k.root.MkdirAll(path.Dir(name), 0o755),
		k.root.WriteFile(name, k.attempt.runner.secrets.Redact(b), 0o644))
}
