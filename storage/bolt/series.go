package bolt

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var seriesKind = ownedKind[schedctl.Series]{
	table: table[schedctl.Series]{
		bucket: series, owner: schedctl.WorkspacePrefix, record: schedctl.SeriesPrefix,
		ids: func(s *schedctl.Series) (workspaceID, id *string) { return &s.WorkspaceID, &s.ID },
		fields: func(c *coder, s *schedctl.Series) {
			c.series(s)
			s.Template.WorkspaceID = s.WorkspaceID
		},
	},
	index: seriesEntries,
}

// seriesEntries appends the entries of a series in the indexes of external ids, sweeps
// and media uses.
func seriesEntries(dst []indexEntry, s *schedctl.Series, ws, id ulid) []indexEntry {
	if s.ExternalID != "" {
		dst = append(dst, indexEntry{seriesExternalIDs, externalIDKey(ws, s.ExternalID), concat(nil, id[:])})
	}
	if !s.SweepAt.IsZero() {
		dst = append(dst, timeEntry(seriesSweeps, timeKey(s.SweepAt.UnixMilli()), ws, id))
	}
	return seriesUses(dst, s, id)
}

// Series implements [storage.Reader].
func (r *reader) Series(workspaceID, id string) (schedctl.Series, error) {
	return seriesKind.get(r, workspaceID, id)
}

// SeriesList implements [storage.Reader].
func (r *reader) SeriesList(workspaceID, afterID string, limit int) ([]schedctl.Series, error) {
	return seriesKind.page(r, workspaceID, afterID, limit)
}

// SeriesByExternalID implements [storage.Reader].
func (r *reader) SeriesByExternalID(workspaceID, externalID string) (s schedctl.Series, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return s, err
	}
	own := r.in(seriesExternalIDs).Get(externalIDKey(ws, externalID))
	switch {
	case own == nil:
		return s, schedctl.Errorf(schedctl.NotFound, "", "there is no series with this external id")
	case len(own) != len(ws):
		return s, fmt.Errorf("%q: %w: an entry has %d bytes", seriesExternalIDs, storage.ErrCorrupt, len(own))
	}
	return seriesKind.indexed(r, seriesExternalIDs, concat(nil, ws[:], own))
}

// SeriesDue implements [storage.Reader].
func (r *reader) SeriesDue(before time.Time, limit int) ([]schedctl.Series, error) {
	return ownedBefore(r, &seriesKind, seriesSweeps, timeKey(before.UnixMilli()), limit)
}

// PutSeries implements [storage.Tx].
func (tx *tx) PutSeries(s schedctl.Series) error {
	if s.ExternalID != "" {
		other, err := tx.SeriesByExternalID(s.WorkspaceID, s.ExternalID)
		switch {
		case err == nil && other.ID != s.ID:
			return storage.ExternalIDExists(other.ID)
		case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
			return err
		}
	}
	return putOwned(tx, &seriesKind, &s)
}

// DeleteSeries implements [storage.Tx].
func (tx *tx) DeleteSeries(workspaceID, id string) error {
	return deleteOwned(tx, &seriesKind, workspaceID, id)
}
