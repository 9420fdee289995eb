package storagetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var readingsParts = []part{
	{"readings/keep every field", testReadingsKeepEveryField},
	{"readings/are listed", testReadingsAreListed},
	{"readings/malformed ids", testMalformedReadings},
}

func readingsOf(ws, accountID string) func(storage.Reader) (schedctl.AccountResults, error) {
	return func(r storage.Reader) (schedctl.AccountResults, error) { return r.AccountResults(ws, accountID) }
}

func readingsIn(ws string) func(storage.Reader) ([]schedctl.AccountResults, error) {
	return func(r storage.Reader) ([]schedctl.AccountResults, error) { return r.AccountResultsList(ws) }
}

func (f *fixture) newReadings(at time.Time) schedctl.AccountResults {
	f.Helper()
	a := newFilled[schedctl.AccountResults](f)
	a.WorkspaceID, a.AccountID = f.ws, newID(schedctl.AccountPrefix, at)
	return a
}

func (f *fixture) putReadings(list ...schedctl.AccountResults) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, a := range list {
			if err := tx.PutAccountResults(a); err != nil {
				return err
			}
		}
		return nil
	})
}

func testReadingsKeepEveryField(f *fixture) {
	want := f.newReadings(epoch)
	wantNotFound(f, "missing readings", readingsOf(f.ws, want.AccountID))
	f.putReadings(want)
	wantSame(f, "readings", want, mustRead(f, readingsOf(f.ws, want.AccountID)))
	bare := schedctl.AccountResults{AccountID: want.AccountID, WorkspaceID: f.ws}
	f.putReadings(bare)
	wantSame(f, "bare readings", bare, mustRead(f, readingsOf(f.ws, bare.AccountID)))
	foreign := want
	foreign.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutAccountResults(foreign) })
}

func testReadingsAreListed(f *fixture) {
	var all []schedctl.AccountResults
	for i := range 4 {
		all = append(all, f.newReadings(epoch.Add(time.Duration(i)*time.Second)))
	}
	other := f.newReadings(epoch)
	other.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putReadings(all[2], all[0], other, all[3], all[1])
	wantSame(f, "all", all, mustRead(f, readingsIn(f.ws)))
	wantNotFound(f, "of another workspace", readingsOf(f.ws, other.AccountID))
}

func testMalformedReadings(f *fixture) {
	a := f.newReadings(epoch)
	for _, bad := range malformedIDs(schedctl.AccountPrefix) {
		wantNotFound(f, "readings of "+bad, readingsOf(f.ws, bad))
		wrong := a
		wrong.AccountID = bad
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutAccountResults(wrong) })
	}
	for _, bad := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "readings in "+bad, readingsOf(bad, a.AccountID))
		wantNotFound(f, "list of "+bad, readingsIn(bad))
	}
}

func readingsOwner(a *schedctl.AccountResults) string { return a.WorkspaceID }

func (r memoryReader) AccountResults(workspaceID, accountID string) (schedctl.AccountResults, error) {
	if err := cmp.Or(checkIDs(schedctl.WorkspacePrefix, workspaceID), checkIDs(schedctl.AccountPrefix, accountID)); err != nil {
		return schedctl.AccountResults{}, err
	}
	return ownedBy(workspaceID, "account", accountID, r.m.readings, readingsOwner, (*schedctl.AccountResults).Clone)
}

func (r memoryReader) AccountResultsList(workspaceID string) ([]schedctl.AccountResults, error) {
	list, err := owned(workspaceID, r.m.readings, readingsOwner, (*schedctl.AccountResults).Clone)
	slices.SortFunc(list, func(a, b schedctl.AccountResults) int { return compareStrings(a.AccountID, b.AccountID) })
	return list, err
}

func (tx *memoryTx) PutAccountResults(a schedctl.AccountResults) error {
	if err := cmp.Or(checkIDs(schedctl.AccountPrefix, a.AccountID), checkIDs(schedctl.WorkspacePrefix, a.WorkspaceID),
		checkOwner(a.WorkspaceID, "account", a.AccountID, tx.m.readings, readingsOwner)); err != nil {
		return err
	}
	putKey(tx, tx.m.readings, a.AccountID, a.Clone())
	return nil
}
