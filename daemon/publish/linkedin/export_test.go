package linkedin

import (
	"context"
	"time"
)

// Exported for tests.
var (
	Escape   = escape
	Unescape = unescape
)

// SetNow makes a publisher use another clock.
func (p *Publisher) SetNow(now func() time.Time) { p.now = now }

// SetWait makes a publisher call wait instead of waiting.
func (p *Publisher) SetWait(wait func(time.Duration)) {
	p.wait = func(_ context.Context, d time.Duration) { wait(d) }
}
