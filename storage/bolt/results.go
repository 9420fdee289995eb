package bolt

import (
	"time"

	"github.com/schedctl/schedctl"
)

var resultsKind = ownedKind[schedctl.Results]{
	table: table[schedctl.Results]{
		bucket: results, owner: schedctl.WorkspacePrefix, record: schedctl.TargetPrefix, fields: (*coder).results,
		ids: func(r *schedctl.Results) (workspaceID, id *string) { return &r.WorkspaceID, &r.TargetID },
	},
	index: func(dst []indexEntry, r *schedctl.Results, ws, id ulid) []indexEntry {
		if r.NextAt.IsZero() {
			return dst
		}
		return append(dst, timeEntry(resultsDue, timeKey(r.NextAt.UnixMilli()), ws, id))
	},
}

// Results implements [storage.Reader].
func (r *reader) Results(workspaceID string, targetIDs []string) (list []schedctl.Results, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	for _, id := range sortedSet(targetIDs) {
		target, err := parse(schedctl.TargetPrefix, id)
		if err != nil {
			return nil, err
		}
		v, err := resultsKind.at(r, ws, target)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
		case err != nil:
			return nil, err
		default:
			list = append(list, v)
		}
	}
	return list, nil
}

// ResultsList implements [storage.Reader].
func (r *reader) ResultsList(workspaceID, afterID string, limit int) ([]schedctl.Results, error) {
	return resultsKind.page(r, workspaceID, afterID, limit)
}

// ResultsDue implements [storage.Reader].
func (r *reader) ResultsDue(before time.Time, limit int) ([]schedctl.Results, error) {
	return ownedBefore(r, &resultsKind, resultsDue, timeKey(before.UnixMilli()), limit)
}

// PutResults implements [storage.Tx].
func (tx *tx) PutResults(r schedctl.Results) error { return putOwned(tx, &resultsKind, &r) }

var accountResultsKind = ownedKind[schedctl.AccountResults]{
	table: table[schedctl.AccountResults]{
		bucket: accountResults, owner: schedctl.WorkspacePrefix, record: schedctl.AccountPrefix, fields: (*coder).accountResults,
		ids: func(a *schedctl.AccountResults) (workspaceID, id *string) { return &a.WorkspaceID, &a.AccountID },
	},
	index: func(dst []indexEntry, _ *schedctl.AccountResults, _, _ ulid) []indexEntry { return dst },
}

// AccountResults implements [storage.Reader].
func (r *reader) AccountResults(workspaceID, accountID string) (schedctl.AccountResults, error) {
	return accountResultsKind.get(r, workspaceID, accountID)
}

// AccountResultsList implements [storage.Reader].
func (r *reader) AccountResultsList(workspaceID string) ([]schedctl.AccountResults, error) {
	return accountResultsKind.list(r, workspaceID)
}

// PutAccountResults implements [storage.Tx].
func (tx *tx) PutAccountResults(a schedctl.AccountResults) error {
	return putOwned(tx, &accountResultsKind, &a)
}

// dropResults deletes the results of a target, if it has any.
func (tx *tx) dropResults(workspaceID, targetID string) error {
	err := deleteOwned(tx, &resultsKind, workspaceID, targetID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	return err
}
