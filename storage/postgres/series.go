package postgres

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// seriesRow is a series with the assets that it needs.
type seriesRow struct {
	series   schedctl.Series
	assetIDs []string // of the template; nil after the end
}

var seriesKind = ownedKind[seriesRow]{
	seriesRows, schedctl.SeriesPrefix, func(s *seriesRow) (string, string) { return s.series.WorkspaceID, s.series.ID },
}

func newSeriesRow(s *schedctl.Series) seriesRow {
	row := seriesRow{series: *s}
	if s.State != schedctl.SeriesEnded {
		row.assetIDs = s.Template.AssetIDs()
	}
	return row
}

func describeSeries(r *row, s *seriesRow) {
	v := &s.series
	r.id("id", schedctl.SeriesPrefix, &v.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &v.WorkspaceID)
	text(r, "name", &v.Name)
	r.add("template", "jsonb", templateField{&v.Template})
	r.add("asset_ids", "jsonb", jsonField[[]string]{&s.assetIDs, func(ids []string) bool { return len(ids) == 0 }})
	list(r, "variants", &v.Variants)
	text(r, "timezone", &v.Timezone)
	text(r, "start", &v.Start)
	text(r, "rule", &v.Rule)
	list(r, "exdates", &v.Exdates)
	number(r, "ahead_days", &v.AheadDays)
	r.optionalID("queue_id", schedctl.QueuePrefix, &v.QueueID)
	text(r, "state", &v.State)
	text(r, "external_id", &v.ExternalID)
	r.managed("managed", &v.Managed)
	text(r, "cursor", &v.Cursor)
	r.time("sweep_at", &v.SweepAt)
	r.time("next_at", &v.NextAt)
	r.optionalID("previous_id", schedctl.SeriesPrefix, &v.PreviousID)
	r.time("created_at", &v.CreatedAt)
	r.time("updated_at", &v.UpdatedAt)
	number(r, "version", &v.Version)
}

// seriesOf returns the series of rows, and caches the rows if the transaction has locked
// them.
func (r *reader) seriesOf(rows []seriesRow, locked bool) []schedctl.Series {
	list := make([]schedctl.Series, len(rows))
	for i := range rows {
		list[i] = rows[i].series
		list[i].Template.WorkspaceID = list[i].WorkspaceID
		if r.tx != nil && locked {
			r.tx.series[list[i].ID] = rows[i]
		}
	}
	return list
}

// Series implements [storage.Reader].
func (r *reader) Series(workspaceID, id string) (schedctl.Series, error) {
	row, err := getOwned(r, &seriesKind, workspaceID, id)
	if err != nil {
		return schedctl.Series{}, err
	}
	return r.seriesOf([]seriesRow{row}, true)[0].Clone(), nil
}

// SeriesList implements [storage.Reader].
func (r *reader) SeriesList(workspaceID, afterID string, limit int) ([]schedctl.Series, error) {
	ws, behind, args, err := pageCondition(schedctl.WorkspacePrefix, workspaceID, schedctl.SeriesPrefix, afterID, limit)
	if err != nil {
		return nil, err
	}
	r.lockList("series", ws)
	rows, err := query(r, seriesRows, "WHERE workspace_id = $1"+behind+" ORDER BY id DESC LIMIT $2", args...)
	return r.seriesOf(rows, false), err
}

// SeriesDue implements [storage.Reader]. It locks nothing.
func (r *reader) SeriesDue(before time.Time, limit int) ([]schedctl.Series, error) {
	rows, err := query(r, seriesRows, "WHERE sweep_at < $1 ORDER BY sweep_at, id LIMIT $2", stampMillis(before.UnixMilli()), limit)
	return r.seriesOf(rows, false), err
}

// SeriesByExternalID implements [storage.Reader]. In a transaction it prevents others
// from assigning the external id to a series.
func (r *reader) SeriesByExternalID(workspaceID, externalID string) (schedctl.Series, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return schedctl.Series{}, err
	}
	r.lockSeriesExternalID(ws, externalID)
	row, found, err := queryOne(r, seriesRows, "WHERE workspace_id = $1 AND external_id = $2 AND external_id <> ''"+r.forUpdate(), ws, clean(externalID))
	if err == nil && !found {
		err = schedctl.Errorf(schedctl.NotFound, "", "there is no series with this external id")
	}
	if err != nil {
		return schedctl.Series{}, err
	}
	return r.seriesOf([]seriesRow{row}, true)[0].Clone(), nil
}

// lockSeriesExternalID prevents other transactions from assigning an external id to a
// series or removing it from one.
func (r *reader) lockSeriesExternalID(ws pgtype.UUID, externalID string) {
	sum := sha256.Sum256(append(ws.Bytes[:], externalID...))
	r.lockList("series", pgtype.UUID{Bytes: [16]byte(sum[:16]), Valid: true})
}

// PutSeries implements [storage.Tx].
func (tx *tx) PutSeries(s schedctl.Series) error {
	known, err := tx.knownSeries(s.WorkspaceID, s.ID)
	if err != nil {
		return err
	}
	if err := tx.checkSeriesExternalID(&s, known.series.ExternalID); err != nil {
		return err
	}
	row := newSeriesRow(&s)
	if err := putOwned(tx, &seriesKind, &row); err != nil {
		return err
	}
	tx.lockAssets(slices.Concat(row.assetIDs, known.assetIDs))
	row.series = s.Clone()
	tx.series[s.ID] = row
	return nil
}

// knownSeries returns the row of a series as the transaction sees it, or an empty one.
func (tx *tx) knownSeries(workspaceID, id string) (seriesRow, error) {
	if row, known := tx.series[id]; known {
		return row, nil
	}
	_, err := tx.Series(workspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		err = nil
	}
	return tx.series[id], err
}

// checkSeriesExternalID returns EXTERNAL_ID_EXISTS when another series has the external
// id. was is the external id that the series has now.
func (tx *tx) checkSeriesExternalID(s *schedctl.Series, was string) error {
	if s.ExternalID == was {
		return nil
	}
	if was != "" {
		ws, err := parse(schedctl.WorkspacePrefix, s.WorkspaceID)
		if err != nil {
			return err
		}
		tx.lockSeriesExternalID(ws, was)
	}
	if s.ExternalID == "" {
		return nil
	}
	other, err := tx.SeriesByExternalID(s.WorkspaceID, s.ExternalID)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return nil
	case err != nil:
		return err
	case other.ID != s.ID:
		return storage.ExternalIDExists(other.ID)
	}
	return nil
}

// DeleteSeries implements [storage.Tx].
func (tx *tx) DeleteSeries(workspaceID, id string) error {
	known, err := tx.knownSeries(workspaceID, id)
	if err != nil {
		return err
	}
	if ws, err := parse(schedctl.WorkspacePrefix, workspaceID); err == nil && known.series.ExternalID != "" {
		tx.lockSeriesExternalID(ws, known.series.ExternalID)
	}
	if err := deleteOwned(tx, &seriesKind, workspaceID, id); err != nil {
		return err
	}
	tx.lockAssets(slices.Clone(known.assetIDs))
	tx.series[id] = seriesRow{}
	return nil
}
