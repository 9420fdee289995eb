package postgres

import (
	"time"

	"github.com/schedctl/schedctl"
)

var accountResultsKind = ownedKind[schedctl.AccountResults]{
	accountResultRows, schedctl.AccountPrefix, func(a *schedctl.AccountResults) (string, string) { return a.WorkspaceID, a.AccountID },
}

func describeAccountResults(r *row, a *schedctl.AccountResults) {
	r.id("id", schedctl.AccountPrefix, &a.AccountID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &a.WorkspaceID)
	r.time("read_at", &a.ReadAt)
	r.add("requests", "jsonb", requestsField(&a.Requests))
	r.time("month", &a.Month)
	number(r, "spent", &a.Spent)
	text(r, "reason", &a.Reason)
	list(r, "lacks", &a.Lacks)
	r.add("dropped", "jsonb", droppedField(&a.Dropped))
	r.bytes("gains", &a.Gains)
}

type hourRequestsDoc struct {
	Hour time.Time `json:"hour"`
	N    int       `json:"n"`
}

func requestsField(list *[]schedctl.HourRequests) field {
	return listDocField(list,
		func(h schedctl.HourRequests) hourRequestsDoc { return hourRequestsDoc(h) },
		func(d hourRequestsDoc) schedctl.HourRequests {
			return schedctl.HourRequests{Hour: d.Hour.UTC(), N: d.N}
		})
}

type droppedDoc struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

func droppedField(list *[]schedctl.DroppedMetric) field {
	return listDocField(list,
		func(m schedctl.DroppedMetric) droppedDoc { return droppedDoc{clean(m.Name), m.At} },
		func(d droppedDoc) schedctl.DroppedMetric { return schedctl.DroppedMetric{Name: d.Name, At: d.At.UTC()} })
}

type partResultsDoc struct {
	Index   int        `json:"index"`
	ID      string     `json:"id"`
	Metrics metricsDoc `json:"metrics"`
}

func partsField(list *[]schedctl.PartResults) field {
	return listDocField(list,
		func(p schedctl.PartResults) partResultsDoc {
			return partResultsDoc{p.Index, clean(p.ID), metricsDoc(p.Metrics)}
		},
		func(d partResultsDoc) schedctl.PartResults {
			return schedctl.PartResults{Index: d.Index, ID: d.ID, Metrics: schedctl.Metrics(d.Metrics)}
		})
}

// listDocField is a list in a document, which is null for an empty one.
func listDocField[V, D any](v *[]V, encode func(V) D, decode func(D) V) field {
	return docField[[]V, []D]{
		v: v,
		encode: func(list []V) (*[]D, error) {
			if len(list) == 0 {
				return nil, nil
			}
			docs := make([]D, len(list))
			for i := range list {
				docs[i] = encode(list[i])
			}
			return &docs, nil
		},
		decode: func(docs []D) ([]V, error) {
			list := make([]V, len(docs))
			for i := range docs {
				list[i] = decode(docs[i])
			}
			return list, nil
		},
	}
}

// AccountResults implements [storage.Reader].
func (r *reader) AccountResults(workspaceID, accountID string) (schedctl.AccountResults, error) {
	return getOwned(r, &accountResultsKind, workspaceID, accountID)
}

// AccountResultsList implements [storage.Reader].
func (r *reader) AccountResultsList(workspaceID string) ([]schedctl.AccountResults, error) {
	return listOwned(r, &accountResultsKind, workspaceID)
}

// PutAccountResults implements [storage.Tx].
func (tx *tx) PutAccountResults(a schedctl.AccountResults) error {
	return putOwned(tx, &accountResultsKind, &a)
}
