package bluesky

import (
	"math/rand/v2"
	"strings"
	"time"
)

// A timestamp identifier is 64 bits in 13 characters that sort like the number: a
// zero bit, 53 bits of microseconds since 1970, and 10 bits of a clock id
// (https://atproto.com/specs/tid).
const (
	tidAlphabet = "234567abcdefghijklmnopqrstuvwxyz"
	tidLength   = 13
	clockBits   = 10
)

func randomClock() uint64 { return rand.Uint64N(1 << clockBits) }

func encodeTID(micros int64, clock uint64) string {
	value := (uint64(micros)<<clockBits | clock) &^ (1 << 63)
	var text [tidLength]byte
	for i := tidLength - 1; i >= 0; i-- {
		text[i] = tidAlphabet[value&31]
		value >>= 5
	}
	return string(text[:])
}

// addToTID returns the identifier of a time that is some microseconds later.
func addToTID(tid string, micros int) (string, bool) {
	at, ok := tidTime(tid)
	if !ok {
		return "", false
	}
	last := uint64(strings.IndexByte(tidAlphabet, tid[tidLength-1]))
	before := uint64(strings.IndexByte(tidAlphabet, tid[tidLength-2]))
	return encodeTID(at.UnixMicro()+int64(micros), before<<5|last), true
}

// tidTime returns the creation time of an identifier in UTC, and whether the
// identifier is valid.
func tidTime(tid string) (time.Time, bool) {
	if len(tid) != tidLength {
		return time.Time{}, false
	}
	var value uint64
	for i := range tidLength {
		digit := strings.IndexByte(tidAlphabet, tid[i])
		if digit < 0 || (i == 0 && digit > 7) { // 13 characters hold 65 bits, and the highest bit of the 64 is 0
			return time.Time{}, false
		}
		value = value<<5 | uint64(digit)
	}
	return time.UnixMicro(int64(value >> clockBits)).UTC(), true
}
