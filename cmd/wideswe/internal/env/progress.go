package env

import (
	"sync"

	"github.com/schollz/progressbar/v3"

	"github.com/wideswe/wideswe/pipeline"
)

// Progress returns how progress is shown: as a bar on a terminal, and not at all elsewhere, where nil is returned. A
// log file of bars helps nobody.
func (e *Env) Progress() func(stage string, total int) pipeline.Progress {
	f, ok := e.terminal()
	if e.Quiet || !ok {
		return nil
	}
	return func(stage string, total int) pipeline.Progress {
		return &bar{stage: stage, bar: progressbar.NewOptions(total,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetDescription(stage),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish())}
	}
}

// bar is the progress of one stage on a terminal.
type bar struct {
	mu    sync.Mutex
	stage string
	bar   *progressbar.ProgressBar
}

func (b *bar) Add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.bar.Add(n)
}

func (b *bar) Describe(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar.Describe(b.stage + " " + text)
}

func (b *bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.bar.Finish()
}
