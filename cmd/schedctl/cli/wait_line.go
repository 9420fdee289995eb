package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/schedctl/schedctl/client"
)

// waitLine is a line on the terminal that is shown while requests wait because of rate
// limits. It may be used from several goroutines.
type waitLine struct {
	*App
	mu      sync.Mutex // mu guards waiting
	waiting int        // requests that wait now
}

// show draws the line on a terminal, unless it is shown already. The returned function
// ends the wait; the last one clears the line.
func (w *waitLine) show(refused *client.Error, pause time.Duration) (done func()) {
	if !w.ErrTerminal || w.Quiet || w.FullScreen || w.Getenv("TERM") == "dumb" {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting == 1 {
		w.DrawLine(Clip(waitText(refused, pause), max(w.Width-1, 10)))
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.waiting--; w.waiting == 0 {
			w.DrawLine("")
		}
	}
}

func waitText(refused *client.Error, pause time.Duration) string {
	reason := "too many requests"
	if refused.Status >= 500 {
		reason = "the daemon is unavailable"
	}
	return fmt.Sprintf("%s: trying again in %s", reason, max(pause.Round(time.Second), time.Second))
}
