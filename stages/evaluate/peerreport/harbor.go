package peerreport

import (
	"path"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/harbor"
)

// harborFormat is a job's folder a run, with a trial for each instance that was predicted.
func harborFormat() Format {
	return Format{Name: "harbor", Form: "MODEL.RUN/TRIAL/{result.json,config.json,verifier/reward.json}, a job of " +
		"Harbor's " +
		"with a trial for each task, in mode independent target; the rewards are reward (as submitted), strict and one a " +
		"target",
		write: writeHarbor}
}

func writeHarbor(w writer, r run) error {
	dir := fileName(r.Model) + "." + r.id
	job := harbor.Job{SchemaVersion: 1, ID: harbor.ID(r.Model, r.id), StartedAt: r.at, FinishedAt: r.at}
	for _, x := range r.instances() {
		if x.outcome() == incomplete {
			continue
		}
		t := newTrial(filepath.Join(w.dir, dir), r, x)
		job.Trials++
		job.Stats.Completed++
		if t.Exception != nil {
			job.Stats.Errored++
		}
		if err := w.trial(dir, t); err != nil {
			return err
		}
	}
	return w.json(path.Join(dir, harbor.ResultFile), job)
}

func (w writer) trial(dir string, t harbor.Trial) error {
	dir = path.Join(dir, t.Name)
	if err := w.json(path.Join(dir, harbor.ResultFile), t); err != nil {
		return err
	}
	if err := w.json(path.Join(dir, "config.json"), t.Config); err != nil || t.Verifier == nil {
		return err
	}
	return w.json(path.Join(dir, "verifier/reward.json"), t.Verifier.Rewards)
}

// newTrial makes the trial of an instance. Trouble of the machine is an exception, and no
// reward of 0.
func newTrial(dir string, r run, x instance) harbor.Trial {
	t := harbor.NewTrial(dir, x.ID+"__"+r.id, x.ID, r.Model)
	t.VerifierMode = "separate"
	if x.Status == schema.StatusInfra {
		t.Exception = &harbor.Failure{Type: harbor.MachineFailure, Message: x.Reason, OccurredAt: r.at.Format(time.RFC3339)}
		return t
	}
	rewards := map[string]float64{"reward": reward(x.AsSubmitted), "strict": reward(x.Strict)}
	for repository, target := range x.Targets {
		rewards[repository] = reward(target.AsSubmitted)
	}
	t.Verifier = &harbor.Verdict{Rewards: rewards}
	return t
}

func reward(resolved bool) float64 {
	if resolved {
		return 1
	}
	return 0
}
