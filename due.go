package schedctl

import (
	"bytes"
	"cmp"
	"time"
)

// Due is an entry of the due index: a target and the time of its claim. It is small
// because daemons keep many of them in memory.
type Due struct {
	At     int64 // Unix milliseconds
	Target ULID
}

// Compare orders entries by time and then by target.
func (d Due) Compare(o Due) int {
	if c := cmp.Compare(d.At, o.At); c != 0 {
		return c
	}
	return bytes.Compare(d.Target[:], o.Target[:])
}

// Time returns the time of the claim in UTC.
func (d Due) Time() time.Time { return time.UnixMilli(d.At).UTC() }

// TargetID returns the target's id.
func (d Due) TargetID() string { return d.Target.ID(TargetPrefix) }
