package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/schedctl/schedctl"
)

// The end of the outbox is an event id that no event has. It encodes a position in the
// outbox: the time as in any ULID, the scrambled position, and a checksum of both. The
// order of such ids has no meaning.

const (
	positionOffset = 6  // offset of the position, 5 bytes
	checksumOffset = 11 // offset of the checksum, which ends the id
)

// encodePosition returns the id that encodes a position.
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

// decodePosition returns the position that an id encodes. ok is false for ids of events.
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

// maskPosition hides the position behind the checksum, or reveals it. Clients must not
// learn from ids how many events a database has.
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
