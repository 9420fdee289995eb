package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/schedctl/schedctl"
)

// A bookmark is the id of no event that says a place of the outbox itself: a time as
// in any ULID, the place, scrambled, and a checksum of both. The order of such
// ids tells nothing.

const (
	markPlace = 6  // where the place begins, in 5 bytes
	markSum   = 11 // and where the checksum does, up to the end
)

// bookmark returns the id that says a place.
func bookmark(place int64, now time.Time) schedctl.ULID {
	u := schedctl.NewULID(now)
	var wide [8]byte
	binary.BigEndian.PutUint64(wide[:], uint64(place))
	copy(u[markPlace:markSum], wide[3:])
	sum := sha256.Sum256(append([]byte("place of the outbox "), u[:markSum]...))
	copy(u[markSum:], sum[:])
	scramble(&u)
	return u
}

// markedPlace returns the place that a bookmark says, or false when the id is none.
func markedPlace(u schedctl.ULID) (place int64, ok bool) {
	scramble(&u)
	sum := sha256.Sum256(append([]byte("place of the outbox "), u[:markSum]...))
	if string(sum[:len(u)-markSum]) != string(u[markSum:]) {
		return 0, false
	}
	var wide [8]byte
	copy(wide[3:], u[markPlace:markSum])
	return int64(binary.BigEndian.Uint64(wide[:])), true
}

// scramble hides the place behind the checksum, or shows it again: how much
// happens in a database is not told by what clients see.
func scramble(u *schedctl.ULID) {
	mask := sha256.Sum256(append([]byte("mask of a place "), u[markSum:]...))
	for i := markPlace; i < markSum; i++ {
		u[i] ^= mask[i-markPlace]
	}
}

// OutboxEnd implements [storage.Tx].
func (tx *tx) OutboxEnd() (string, error) {
	last, _, err := tx.lastPlace()
	return bookmark(last, time.Now()).ID(schedctl.EventPrefix), err
}

// Later implements [storage.Reader].
func (r *reader) Later(a, b string) (string, error) {
	if a == b {
		return a, nil
	}
	first, err := r.place(a)
	if err != nil {
		return "", err
	}
	second, err := r.place(b)
	if second > first {
		return b, err
	}
	return a, err
}
