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
func (t Time) String() string {
	if t.Nanosecond() < int(time.Millisecond) {
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// MarshalJSON returns the quoted wire form.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

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
