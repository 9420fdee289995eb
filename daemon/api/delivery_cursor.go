package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"

	"github.com/schedctl/schedctl"
)

// idList is a list sorted by id. The position of its cursors is a ULID. Cursors are base64url
// of: version (1 byte) · position · checksum (8). The checksum covers the position and the name
// of the list.
type idList struct {
	prefix schedctl.Prefix
	of     string // what cursors are bound to: whose list, and the filter
}

// The bytes of a position by id, and of the checksum of a cursor.
const (
	idPosition  = 16
	positionSum = 8
)

// cursor returns the cursor for the position after an id.
func (l idList) cursor(id string) string {
	u, _ := schedctl.ParseID(l.prefix, id)
	return sealPosition(l.of, u[:])
}

// position returns the id of a cursor's position, or an error with code
// INVALID_CURSOR.
func (l idList) position(text string) (id string, err error) {
	raw, err := openPosition(l.of, text, idPosition)
	if err != nil {
		return "", err
	}
	return schedctl.ULID(raw).ID(l.prefix), nil
}

// sealPosition returns a cursor for a position in a list.
func sealPosition(of string, position []byte) string {
	raw := append([]byte{cursorVersion}, position...)
	return base64.RawURLEncoding.EncodeToString(append(raw, positionChecksum(of, raw)...))
}

// openPosition returns the position of a cursor, which has so many bytes, or an error with code
// INVALID_CURSOR.
func openPosition(of, text string, size int) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != 1+size+positionSum || raw[0] != cursorVersion || !bytes.Equal(raw[1+size:], positionChecksum(of, raw[:1+size])) {
		return nil, schedctl.Errorf(schedctl.InvalidCursor, "cursor",
			"this cursor does not belong to this list; use next_cursor of the previous page with the same filter, or leave the cursor out")
	}
	return raw[1 : 1+size], nil
}

func positionChecksum(of string, position []byte) []byte {
	h := sha256.New()
	h.Write(position)
	h.Write([]byte(of))
	return h.Sum(nil)[:positionSum]
}
