package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// A cursor is base64url of: version (1 byte) · publish time (8, Unix milliseconds)
// · post (16, its ULID) · checksum (8). The checksum covers the position and the
// query, so that a cursor works only with the filter and the sort order of its
// list.
const (
	cursorVersion  = 1
	cursorPosition = 1 + 8 + 16
	cursorLen      = cursorPosition + 8
	noTime         = math.MinInt64 // the publish time of a post without one
)

// encodeCursor returns the cursor for a position in the list of a query.
func encodeCursor(q storage.PostQuery, p storage.Position) string {
	raw := make([]byte, cursorPosition, cursorLen)
	ms := int64(noTime)
	if !p.PublishAt.IsZero() {
		ms = p.PublishAt.UnixMilli()
	}
	id, _ := schedctl.ParseID(schedctl.PostPrefix, p.PostID)
	raw[0] = cursorVersion
	binary.BigEndian.PutUint64(raw[1:], uint64(ms))
	copy(raw[9:], id[:])
	return base64.RawURLEncoding.EncodeToString(append(raw, cursorChecksum(q, raw)...))
}

// decodeCursor returns the position of a cursor in the list of a query, or an error
// with code INVALID_CURSOR.
func decodeCursor(q storage.PostQuery, text string) (*storage.Position, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != cursorLen || raw[0] != cursorVersion ||
		!bytes.Equal(raw[cursorPosition:], cursorChecksum(q, raw[:cursorPosition])) {
		return nil, schedctl.Errorf(schedctl.InvalidCursor, "cursor",
			"this cursor does not belong to this list; use next_cursor of the previous page with the same filter and sort, or leave the cursor out")
	}
	p := &storage.Position{PostID: schedctl.ULID(raw[9:cursorPosition]).ID(schedctl.PostPrefix)}
	if ms := int64(binary.BigEndian.Uint64(raw[1:])); ms != noTime {
		p.PublishAt = time.UnixMilli(ms).UTC()
	}
	return p, nil
}

// cursorChecksum returns the first 8 bytes of a SHA-256 over the position and over
// every part of the query that affects selection or order.
func cursorChecksum(q storage.PostQuery, position []byte) []byte {
	statuses := slices.Clone(q.Statuses)
	slices.Sort(statuses)
	h := sha256.New()
	h.Write(position)
	fmt.Fprintf(h, "%q %q %q %q %d %d %q", q.WorkspaceID, q.Sort, slices.Compact(statuses), q.AccountID,
		q.PublishAfter.UnixMilli(), q.PublishBefore.UnixMilli(), q.Search)
	if q.ExternalID != "" || q.Collection != "" || len(q.Labels) > 0 { // else as in cursors of older versions
		labels := slices.Clone(q.Labels)
		slices.Sort(labels)
		fmt.Fprintf(h, " %q %q %q", q.ExternalID, q.Collection, slices.Compact(labels))
	}
	if q.QueueID != "" || q.SeriesID != "" {
		fmt.Fprintf(h, " %q %q", q.QueueID, q.SeriesID)
	}
	if q.Archived == storage.OnlyArchived { // else as in cursors of older versions
		fmt.Fprintf(h, " %q", q.Archived)
	}
	if q.Approval != "" || q.CreatedBy != "" {
		fmt.Fprintf(h, " %q %q", q.Approval, q.CreatedBy)
	}
	if q.Proposed {
		fmt.Fprint(h, " proposed")
	}
	return h.Sum(nil)[:8]
}
