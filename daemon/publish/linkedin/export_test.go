package linkedin

import "time"

// Exported for tests.
var (
	Escape   = escape
	Unescape = unescape
)

// SetNow makes a publisher use another clock.
func (p *Publisher) SetNow(now func() time.Time) { p.now = now }
