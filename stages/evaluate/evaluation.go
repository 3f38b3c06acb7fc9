package evaluate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// evaluation is one call of the stage: what its items share.
type evaluation struct {
	settings
	version  string // of the stage
	rules    func(task string) string
	bases    map[string]string // local images in place of base images
	retries  int
	wait     time.Duration
	redo     bool // cached verdicts are not used
	scratch  string
	cache    *verdictCache
	trees    *treeStore
	progress *progress

	mu   sync.Mutex
	down error // what stopped us, so that the items after it don't try in vain
}

// countEarlier counts the items whose verdict of an earlier call is current, and lists the
// verdicts that leave the report.
func (e *evaluation) countEarlier(earlier earlierResults, items []pipeline.Item[item]) {
	for _, it := range items {
		if earlier.isCurrent(it) && !e.redo {
			e.trees.finish(it.Value.Task)
			e.progress.earlier(it.Value.RunKey, earlier.reports[it.ID])
		}
	}
	e.progress.printLeaving(items, earlier.reports)
}

// work is one item. Trouble of this machine is tried again, then it fails the item: the
// report says infra, and a further run completes it.
func (e *evaluation) work(ctx context.Context, x item) (pipeline.Write, error) {
	defer e.trees.finish(x.Task)
	begun := time.Now()
	v, err := e.withRetries(ctx, x)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		e.progress.failed(x.Key, err)
		// The text alone: what a person must mend ends this item, not the report.
		return nil, errors.New(err.Error())
	}
	e.progress.judged(x.Key, v, time.Since(begun))
	v.SetIdentity(x.RunKey, x.Predictions)
	return results.WriteVerdict(x.Key, x.Digest, v), nil
}

// withRetries gives an item's verdict, after trouble of this machine at a further try.
func (e *evaluation) withRetries(ctx context.Context, x item) (*verdict.Verdict, error) {
	var before []error
	for {
		if err := e.stopped(); err != nil {
			return nil, err
		}
		v, err := e.fromCache(ctx, x)
		err = explainFullDisk(err, e.scratch, e.out)
		switch {
		case err == nil:
			for _, trouble := range before {
				v.Note(schema.DeviationRetried, "", trouble.Error())
			}
			return v, nil
		case isNeed(err):
			e.stop(err)
			return nil, err
		case ctx.Err() != nil || !isTransient(err) || len(before) >= e.retries:
			return nil, err
		}
		before = append(before, err)
		select {
		case <-ctx.Done():
		case <-time.After(e.wait):
		}
	}
}

// fromCache gives an item's verdict: an earlier one of the same content, or a new one.
func (e *evaluation) fromCache(ctx context.Context, x item) (*verdict.Verdict, error) {
	key, err := e.contentKey(ctx, x)
	if err != nil {
		return nil, err
	}
	defer e.cache.lock(key)()
	if c, ok := e.cache.get(key); ok && !e.redo {
		return c.restore(e.out, x.Key)
	}
	v, err := e.judge(ctx, x)
	if err != nil {
		return nil, err
	}
	return v, e.cache.put(key, *v, e.out)
}

// contentKey digests whatever decides a verdict: the patches, not who made them.
func (e *evaluation) contentKey(ctx context.Context, x item) (string, error) {
	t, err := e.release.Task(x.Task)
	if err != nil {
		return "", err
	}
	here, err := e.machine.describe(ctx)
	if err != nil {
		return "", err
	}
	var images []string
	for _, h := range t.Hidden {
		id, err := e.machine.imageContent(ctx, h.Image.ID, h.Recipe.Image)
		if err != nil {
			return "", err
		}
		images = append(images, id)
	}
	return pipeline.Hash("verdict", e.version, e.rules(x.Task), e.release.SHA256, x.Task, x.Mode,
		contentOf(x.Predictions), e.limits, e.guard, e.bases, here.Sandbox, here.Platform, images), nil
}

// judge runs an item's predictions.
func (e *evaluation) judge(ctx context.Context, x item) (*verdict.Verdict, error) {
	trees, err := e.trees.get(ctx, x.Task)
	if err != nil {
		return nil, err
	}
	here, err := e.machine.describe(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	v := verdict.New()
	for _, p := range x.parts(trees.task) {
		if p.prediction == nil {
			v.AddUnscored(p.targets, schema.StatusMissing, "no prediction for this target")
			continue
		}
		a := newAttempt(e.settings, trees, x.Key, *p.prediction, p.targets)
		if err := a.judge(ctx, v); err != nil {
			return nil, err
		}
	}
	if len(v.Runs) > 0 {
		v.Report.Machine = &here
	}
	v.Report.Seconds = time.Since(begun).Seconds()
	v.SetState()
	return v, nil
}

// stop ends the evaluation for the items after this one.
func (e *evaluation) stop(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = err
}

// stopped gives what stopped the evaluation, or nil.
func (e *evaluation) stopped() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.down
}
