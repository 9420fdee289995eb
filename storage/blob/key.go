package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Key is the SHA-256 of the bytes of a blob. Keys are ordered by their bytes, which is
// also the order of their hexadecimal forms.
type Key [sha256.Size]byte

// ParseKey parses the form of [Key.String]: 64 lower-case hexadecimal digits.
func ParseKey(s string) (Key, error) {
	var k Key
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != len(k) || hex.EncodeToString(raw) != s {
		return Key{}, fmt.Errorf("%q is not a SHA-256 of 64 lower-case hexadecimal digits", s)
	}
	copy(k[:], raw)
	return k, nil
}

// String returns 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }
