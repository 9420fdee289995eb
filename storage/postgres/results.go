package postgres

import (
	"time"

	"github.com/schedctl/schedctl"
)

var resultsKind = ownedKind[schedctl.Results]{
	resultRows, schedctl.TargetPrefix, func(r *schedctl.Results) (string, string) { return r.WorkspaceID, r.TargetID },
}

func describeResults(r *row, v *schedctl.Results) {
	r.id("id", schedctl.TargetPrefix, &v.TargetID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &v.WorkspaceID)
	r.optionalID("post_id", schedctl.PostPrefix, &v.PostID)
	r.optionalID("account_id", schedctl.AccountPrefix, &v.AccountID)
	r.time("published_at", &v.PublishedAt)
	r.add("latest", "jsonb", metricsField(&v.Latest))
	r.time("read_at", &v.ReadAt)
	r.add("points", "jsonb", pointsField(&v.Points))
	r.time("next_at", &v.NextAt)
	text(r, "reason", &v.Reason)
	r.time("missed_at", &v.MissedAt)
	r.time("removed_at", &v.RemovedAt)
	r.add("reported", "jsonb", metricsField(&v.Reported))
	r.time("reported_at", &v.ReportedAt)
	r.add("parts", "jsonb", partsField(&v.Parts))
	r.bool("estimated", &v.Estimated)
}

// metricsDoc is [schedctl.Metrics] in a document. A missing number was not given.
type metricsDoc struct {
	Views     *int64           `json:"views,omitempty"`
	Reach     *int64           `json:"reach,omitempty"`
	Reactions *int64           `json:"reactions,omitempty"`
	Reposts   *int64           `json:"reposts,omitempty"`
	Quotes    *int64           `json:"quotes,omitempty"`
	Replies   *int64           `json:"replies,omitempty"`
	Clicks    *int64           `json:"clicks,omitempty"`
	Saves     *int64           `json:"saves,omitempty"`
	Other     map[string]int64 `json:"other,omitempty"`
}

type pointDoc struct {
	At      time.Time  `json:"at"`
	Metrics metricsDoc `json:"metrics"`
}

func metricsField(m *schedctl.Metrics) field {
	return docField[schedctl.Metrics, metricsDoc]{
		v: m,
		encode: func(m schedctl.Metrics) (*metricsDoc, error) {
			if !m.Given() {
				return nil, nil
			}
			return new(metricsDoc(m)), nil
		},
		decode: func(doc metricsDoc) (schedctl.Metrics, error) { return schedctl.Metrics(doc), nil },
	}
}

func pointsField(points *[]schedctl.ResultPoint) field {
	return listDocField(points,
		func(p schedctl.ResultPoint) pointDoc { return pointDoc{p.At, metricsDoc(p.Metrics)} },
		func(d pointDoc) schedctl.ResultPoint {
			return schedctl.ResultPoint{At: d.At.UTC(), Metrics: schedctl.Metrics(d.Metrics)}
		})
}

// Results implements [storage.Reader].
func (r *reader) Results(workspaceID string, targetIDs []string) ([]schedctl.Results, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	ids, err := parseAll(schedctl.TargetPrefix, targetIDs)
	if err != nil {
		return nil, err
	}
	r.lockList(resultRows.table, ws)
	list, err := query(r, resultRows, "WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id"+r.forUpdate(), ws, ids)
	if r.tx != nil {
		for i := range list {
			r.tx.owners[list[i].TargetID] = workspaceID
		}
	}
	return list, err
}

// ResultsList implements [storage.Reader].
func (r *reader) ResultsList(workspaceID, afterID string, limit int) ([]schedctl.Results, error) {
	ws, behind, args, err := pageCondition(schedctl.WorkspacePrefix, workspaceID, schedctl.TargetPrefix, afterID, limit)
	if err != nil {
		return nil, err
	}
	r.lockList(resultRows.table, ws)
	return query(r, resultRows, "WHERE workspace_id = $1"+behind+" ORDER BY id DESC LIMIT $2", args...)
}

// ResultsDue implements [storage.Reader]. It locks nothing.
func (r *reader) ResultsDue(before time.Time, limit int) ([]schedctl.Results, error) {
	return query(r, resultRows, "WHERE next_at < $1 ORDER BY next_at, id LIMIT $2", stampMillis(before.UnixMilli()), limit)
}

// PutResults implements [storage.Tx].
func (tx *tx) PutResults(r schedctl.Results) error { return putOwned(tx, &resultsKind, &r) }
