package env

import (
	"fmt"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"github.com/wideswe/wideswe/pipeline"
)

// progress shows a bar on a terminal and nothing elsewhere: a log file of bars helps nobody.
func (a *Env) Progress() func(stage string, total int) pipeline.Progress {
	f, ok := a.Err.(*os.File)
	if a.Quiet || !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
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

// sayLine writes a line of a work that goes on; on a terminal it takes the bar's place,
// which is drawn again below.
func (a *Env) PrintLine(line string) {
	if f, ok := a.Err.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			line = "\r\x1b[2K" + line
		}
	}
	fmt.Fprintln(a.Err, line)
}

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
