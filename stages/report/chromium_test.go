package report

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

var shots = flag.String("shots", "", "a folder for pictures of the page as the browser test sees it")

// profile is a folder for a browser's files. Its helpers end a little after it does,
// and write until then, so the folder goes in more than one try.
func profile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wideswe-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		for end := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(end); err = os.RemoveAll(dir) {
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

// browser starts a headless Chromium, or skips the test where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	testscope.NotShort(t, "it runs a browser")
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on this machine")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.UserDataDir(profile(t)), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // closes the browser, as a person does, and waits for it
	if err := chromedp.Run(ctx); err != nil {
		t.Skipf("Chromium does not start here: %v", err)
	}
	return ctx
}

// watched is a page in a browser, with what it asked for and what it complained of.
type watched struct {
	ctx   context.Context
	url   string
	mu    sync.Mutex
	asked []string
	said  []string
}

func watch(t *testing.T, res *Result) *watched {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, res); err != nil {
		t.Fatal(err)
	}
	w := &watched{ctx: browser(t)}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		rw.Write(b.Bytes())
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	chromedp.ListenTarget(w.ctx, func(event any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			w.asked = append(w.asked, strings.SplitN(e.Request.URL, "#", 2)[0])
		case *runtime.EventExceptionThrown:
			w.said = append(w.said, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				w.said = append(w.said, e.Entry.Text)
			}
		}
	})
	if err := chromedp.Run(w.ctx, network.Enable(), log.Enable()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *watched) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(w.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask gives the value of an expression on the page.
func ask[T any](t *testing.T, w *watched, expression string) (v T) {
	t.Helper()
	w.run(t, chromedp.Evaluate(expression, &v))
	return v
}

// open shows the page at a size, in light or dark.
func (w *watched) open(t *testing.T, width, height int64, scheme, hash string) {
	t.Helper()
	w.run(t, emulation.SetDeviceMetricsOverride(width, height, 2, width < 700),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate("about:blank"), chromedp.Navigate(w.url+"/"+hash), chromedp.WaitReady("body"))
}

// shoot writes pictures of the whole page, in pieces that a person can look at.
func (w *watched) shoot(t *testing.T, name string) {
	t.Helper()
	if *shots == "" {
		return
	}
	width, height := ask[float64](t, w, `innerWidth`), ask[float64](t, w, `document.documentElement.scrollHeight`)
	step := 1.4 * width
	if width < 700 {
		step = 3 * width
	}
	for n := 0; float64(n)*step < height; n++ {
		clip := &cdppage.Viewport{X: 0, Y: float64(n) * step, Width: width, Height: min(step, height-float64(n)*step),
			Scale: 1}
		w.run(t, chromedp.ActionFunc(func(ctx context.Context) error {
			picture, err := cdppage.CaptureScreenshot().WithCaptureBeyondViewport(true).WithClip(clip).Do(ctx)
			if err != nil {
				return err
			}
			write(t, filepath.Join(*shots, fmt.Sprintf("%s %d.png", name, n+1)), string(picture))
			return nil
		}))
	}
}

const (
	visibleRows = `[...document.querySelectorAll("table.tasks tbody tr")].filter((r) => r.checkVisibility()).map((r) => ` +
		`r.querySelector("small").textContent)`
	openAll = `document.querySelectorAll("details").forEach((d) => d.open = true)`
)

// cut lists what is beyond a width, beside what scrolls by itself. innerWidth is no
// measure: a phone's browser makes it as wide as what overflows.
const cut = `[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && !e.closest(".scroll table, nav a, svg, pre") && e.getBoundingClientRect().right > %d + 1)
	.map((e) => e.tagName + "." + e.className).slice(0, 5)`

// inWidth says what of the page, as it is open, does not fit.
func (w *watched) inWidth(t *testing.T, width int64) {
	t.Helper()
	if n := ask[int64](t, w, `document.documentElement.scrollWidth`) - width; n > 0 {
		t.Errorf("the page is %d wider than the screen", n)
	}
	if list := ask[[]string](t, w, fmt.Sprintf(cut, width)); len(list) > 0 {
		t.Errorf("cut off: %v", list)
	}
}
