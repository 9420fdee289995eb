package apiv1

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is an instant on the wire: RFC 3339, UTC, "Z", milliseconds only where
// there are any (2026-06-02T15:00:00Z, 2026-06-02T15:00:00.250Z).
type Time struct{ time.Time }

// NewTime returns the instant, or nil for the zero time.
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

// append appends the wire form. Package time has a short way for RFC 3339 and
// reads every other layout anew each time; an answer has many times.
func (t Time) append(b []byte) []byte {
	b = t.UTC().AppendFormat(b, time.RFC3339)
	if ms := t.Nanosecond() / int(time.Millisecond); ms > 0 {
		b = append(b[:len(b)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
	}
	return b
}

// UnmarshalJSON reads RFC 3339 with any offset; a client takes what it is given.
// What the daemon accepts in requests is stricter and decided there.
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
