package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"

	"github.com/schedctl/schedctl"
)

// idList is a list sorted by id. Its cursors are base64url of: version (1 byte) ·
// ULID (16) · checksum (8). The checksum covers the position and the name of the
// list.
type idList struct {
	prefix schedctl.Prefix
	of     string // what cursors are bound to: whose list, and the filter
}

const (
	idCursorPosition = 1 + 16
	idCursorLen      = idCursorPosition + 8
)

// cursor returns the cursor for the position after an id.
func (l idList) cursor(id string) string {
	u, _ := schedctl.ParseID(l.prefix, id)
	raw := append(make([]byte, 0, idCursorLen), cursorVersion)
	raw = append(raw, u[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, l.checksum(raw)...))
}

// position returns the id of a cursor's position, or an error with code
// INVALID_CURSOR.
func (l idList) position(text string) (id string, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != idCursorLen || raw[0] != cursorVersion ||
		!bytes.Equal(raw[idCursorPosition:], l.checksum(raw[:idCursorPosition])) {
		return "", schedctl.Errorf(schedctl.InvalidCursor, "cursor",
			"this cursor does not belong to this list; use next_cursor of the previous page with the same filter, or leave the cursor out")
	}
	return schedctl.ULID(raw[1:idCursorPosition]).ID(l.prefix), nil
}

func (l idList) checksum(position []byte) []byte {
	h := sha256.New()
	h.Write(position)
	h.Write([]byte(l.of))
	return h.Sum(nil)[:8]
}
