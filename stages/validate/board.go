package validate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// board says what is running: on the progress bar, and beside each log line.
type board struct {
	mu      sync.Mutex
	running []string
	show    func(string)
}

// boardWidth is how much of it a bar has room for.
const boardWidth = 70

// begin notes that something runs until end is called.
func (b *board) begin(what string) (now string, end func()) {
	if b == nil {
		return what, func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = append(b.running, what)
	return b.text(), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if i := slices.Index(b.running, what); i >= 0 {
			b.running = slices.Delete(b.running, i, i+1)
		}
		b.text()
	}
}

// text tells what runs and shows it.
func (b *board) text() string {
	text := strings.Join(b.running, ", ")
	bar := text
	if r := []rune(text); len(r) > boardWidth {
		bar = fmt.Sprintf("%d running: %s…", len(b.running), string(r[:boardWidth]))
	}
	b.show(bar)
	return text
}
