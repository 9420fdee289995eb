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
	positionOffset = 6  // where the place begins, in 5 bytes
	checksumOffset = 11 // and where the checksum does, up to the end
)

// encodePosition returns the id that says a place.
func encodePosition(place int64, now time.Time) schedctl.ULID {
	u := schedctl.NewULID(now)
	var wide [8]byte
	binary.BigEndian.PutUint64(wide[:], uint64(place))
	copy(u[positionOffset:checksumOffset], wide[3:])
	sum := sha256.Sum256(append([]byte("place of the outbox "), u[:checksumOffset]...))
	copy(u[checksumOffset:], sum[:])
	maskPosition(&u)
	return u
}

// decodePosition returns the place that a bookmark says, or false when the id is none.
func decodePosition(u schedctl.ULID) (place int64, ok bool) {
	maskPosition(&u)
	sum := sha256.Sum256(append([]byte("place of the outbox "), u[:checksumOffset]...))
	if string(sum[:len(u)-checksumOffset]) != string(u[checksumOffset:]) {
		return 0, false
	}
	var wide [8]byte
	copy(wide[3:], u[positionOffset:checksumOffset])
	return int64(binary.BigEndian.Uint64(wide[:])), true
}

// maskPosition hides the place behind the checksum, or shows it again: how much
// happens in a database is not told by what clients see.
func maskPosition(u *schedctl.ULID) {
	mask := sha256.Sum256(append([]byte("mask of a place "), u[checksumOffset:]...))
	for i := positionOffset; i < checksumOffset; i++ {
		u[i] ^= mask[i-positionOffset]
	}
}

// OutboxEnd implements [storage.Tx].
func (tx *tx) OutboxEnd() (string, error) {
	last, _, err := tx.lastPosition()
	return encodePosition(last, time.Now()).ID(schedctl.EventPrefix), err
}

// Later implements [storage.Reader].
func (r *reader) Later(a, b string) (string, error) {
	if a == b {
		return a, nil
	}
	first, err := r.outboxPosition(a)
	if err != nil {
		return "", err
	}
	second, err := r.outboxPosition(b)
	if second > first {
		return b, err
	}
	return a, err
}
