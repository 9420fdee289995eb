package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// listOccurrences handles GET /series/{id}/occurrences.
func (s *Server) listOccurrences(ctx context.Context, c *request) (response, error) {
	query, err := c.occurrenceQuery()
	if err != nil {
		return response{}, err
	}
	var page apiv1.OccurrenceList
	err = s.scan(ctx, c, func(r storage.Reader) error {
		results, last, err := c.Occurrences(r, query)
		page = apiv1.OccurrenceList{Results: results, Count: len(results)}
		if last != "" {
			page.NextCursor = new(occurrenceCursor(c.ID, last))
		}
		return err
	})
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, page)
}

func (c *request) occurrenceQuery() (usecase.OccurrenceQuery, error) {
	q := parseQuery(c.query, []string{"after", "before", "limit", "cursor"}, nil)
	query := usecase.OccurrenceQuery{After: q.time("after"), Before: q.time("before"), Limit: q.number("limit", 1, maxLimit, defaultLimit)}
	if query.After.IsZero() {
		query.After = c.Now
	}
	if q.err == nil && q.has("cursor") {
		var err error
		if query.Position, err = occurrencePosition(c.ID, q.values.Get("cursor")); err != nil {
			q.fail(err)
		}
	}
	return query, q.err
}

// The cursor of a list of occurrences is base64url of the local time of the last one and
// the first 8 bytes of a SHA-256 over the series and that time.
func occurrenceCursor(seriesID string, local schedctl.LocalTime) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(local), occurrenceChecksum(seriesID, local)...))
}

func occurrencePosition(seriesID, text string) (schedctl.LocalTime, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if n := len(raw) - 8; err == nil && n > 0 {
		local, err := schedctl.ParseLocalTime("cursor", string(raw[:n]))
		if err == nil && bytes.Equal(raw[n:], occurrenceChecksum(seriesID, local)) {
			return local, nil
		}
	}
	return "", schedctl.Errorf(schedctl.InvalidCursor, "cursor",
		"this cursor does not belong to this list; use next_cursor of the previous page, or leave the cursor out")
}

func occurrenceChecksum(seriesID string, local schedctl.LocalTime) []byte {
	sum := sha256.Sum256([]byte("occurrences " + seriesID + " " + string(local)))
	return sum[:8]
}
