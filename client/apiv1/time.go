package apiv1

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
)

// Time is a [time.Time] that is written as the API writes it: RFC 3339, UTC, "Z",
// milliseconds only if there are any (2026-06-02T15:00:00Z,
// 2026-06-02T15:00:00.250Z). A finer fraction is rounded up, as the daemon does.
type Time struct{ time.Time }

// NewTime returns the time in UTC, or nil for the zero time.
func NewTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return &Time{t.UTC()}
}

// String returns the wire form.
func (t Time) String() string { return string(t.append(make([]byte, 0, 32))) }

// MarshalJSON returns the quoted wire form.
func (t Time) MarshalJSON() ([]byte, error) {
	return append(t.append(append(make([]byte, 0, 32), '"')), '"'), nil
}

// append appends the wire form. Package time has a fast path for RFC 3339 and parses
// other layouts each time; a response has many times.
func (t Time) append(b []byte) []byte {
	at := t.UTC()
	if at.Nanosecond()%int(time.Millisecond) != 0 {
		at = schedctl.Millis(at)
	}
	b = at.AppendFormat(b, time.RFC3339)
	if ms := at.Nanosecond() / int(time.Millisecond); ms > 0 {
		b = append(b[:len(b)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
	}
	return b
}

// UnmarshalJSON reads RFC 3339 with any offset. The daemon is stricter and does not
// use it for requests.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("time %q: want RFC 3339", s)
	}
	t.Time = parsed.UTC()
	return nil
}

// PublishTime is when a post is published: at a time, as soon as the daemon has it, or
// in the next free slot of a queue. [At], [Now] and [NextSlot] make one; a draft has
// none.
type PublishTime struct {
	Time     time.Time // ignored if Now or NextSlot is set
	Now      bool
	NextSlot bool
}

// At publishes a post at this time.
func At(t time.Time) *PublishTime { return &PublishTime{Time: t} }

// Now publishes a post as soon as the daemon has it.
func Now() *PublishTime { return &PublishTime{Now: true} }

// NextSlot publishes a post in the next free slot of a queue.
func NextSlot() *PublishTime { return &PublishTime{NextSlot: true} }

// String returns the wire form.
func (p PublishTime) String() string {
	switch {
	case p.Now:
		return PublishNow
	case p.NextSlot:
		return PublishNextSlot
	}
	return Time{p.Time}.String()
}

// MarshalText returns the wire form: "now", "next-slot", or the form of [Time].
func (p PublishTime) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *PublishTime) UnmarshalText(b []byte) error {
	switch string(b) {
	case PublishNow:
		*p = PublishTime{Now: true}
		return nil
	case PublishNextSlot:
		*p = PublishTime{NextSlot: true}
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("publish_at %q: want RFC 3339, %q or %q", b, PublishNow, PublishNextSlot)
	}
	*p = PublishTime{Time: t.UTC()}
	return nil
}
