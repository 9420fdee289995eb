package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var auditParts = []part{
	{"AuditKeepsEveryField", testAuditKeepsEveryField},
	{"AuditIsInOrder", testAuditIsInOrder},
	{"AuditOfWorkspacesThatTakeTurns", testAuditOfInterleavedWorkspaces},
	{"AuditIDsAreNew", testAuditIDsAreUnique},
}

// manyRecords exceeds the number of records in any listing test.
const manyRecords = 1000

func auditOf(ws string) func(storage.Reader) ([]schedctl.AuditEntry, error) {
	return func(r storage.Reader) ([]schedctl.AuditEntry, error) { return r.Audit(ws, "", manyRecords) }
}

func (f *fixture) addAudit(entries ...schedctl.AuditEntry) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, a := range entries {
			if err := tx.AddAudit(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// newAudit returns n entries, a millisecond apart, in order.
func newAudit(ws string, n int, from time.Time) []schedctl.AuditEntry {
	entries := make([]schedctl.AuditEntry, n)
	for i := range entries {
		at := from.Add(time.Duration(i) * time.Millisecond)
		entries[i] = schedctl.AuditEntry{ID: newID(schedctl.AuditPrefix, at), WorkspaceID: ws, At: at, Action: fmt.Sprint(i)}
	}
	return entries
}

// newestFirst returns a reversed copy of a list.
func newestFirst[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func testAuditKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.AuditEntry](f)
	f.addAudit(want)
	wantSame(f, "entry", []schedctl.AuditEntry{want}, mustRead(f, auditOf(want.WorkspaceID)))
	bare := schedctl.AuditEntry{ID: want.ID, WorkspaceID: f.ws}
	f.addAudit(bare)
	wantSame(f, "bare entry", []schedctl.AuditEntry{bare}, mustRead(f, auditOf(f.ws)))
	for _, id := range malformedIDs(schedctl.AuditPrefix) {
		bad := bare
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.AddAudit(bad) })
		if id != "" {
			wantNotFound(f, "entries after "+id, func(r storage.Reader) ([]schedctl.AuditEntry, error) { return r.Audit(f.ws, id, 1) })
		}
	}
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "entries of "+id, auditOf(id))
		bad := bare
		bad.WorkspaceID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.AddAudit(bad) })
	}
}

func testAuditIsInOrder(f *fixture) {
	entries := newAudit(f.ws, 30, epoch)
	f.addAudit(entries[20:]...)
	f.addAudit(entries[:20]...)
	page := func(after string, limit int) []schedctl.AuditEntry {
		return mustRead(f, func(r storage.Reader) ([]schedctl.AuditEntry, error) { return r.Audit(f.ws, after, limit) })
	}
	want := newestFirst(entries)
	wantSame(f, "all", want, page("", manyRecords))
	wantSame(f, "the newest", want[:7], page("", 7))
	for i := range want {
		wantSame(f, "after one", want[i+1:min(i+4, len(want))], page(want[i].ID, 3))
	}
	wantSame(f, "after a missing one", want, page(newID(schedctl.AuditPrefix, epoch.Add(time.Hour)), manyRecords))
}

// testAuditOfInterleavedWorkspaces adds to three workspaces in turn, so that the newest
// entry overall is not the newest of each.
func testAuditOfInterleavedWorkspaces(f *fixture) {
	var all [3][]schedctl.AuditEntry
	for i := range all {
		all[i] = newAudit(newID(schedctl.WorkspacePrefix, epoch.Add(time.Duration(i)*time.Hour)), 20, epoch.Add(time.Duration(-i)*time.Hour))
	}
	for from := 0; from < 20; from += 5 {
		f.update(func(tx storage.Tx) error {
			for i := range 5 {
				for _, ws := range []int{1, 0, 2} {
					if err := tx.AddAudit(all[ws][from+i]); err != nil {
						return err
					}
					if err := tx.AddAudit(all[ws][from+i]); err == nil {
						return errors.New("an entry was added twice")
					}
				}
			}
			return nil
		})
	}
	for _, entries := range all {
		wantSame(f, "entries", newestFirst(entries), mustRead(f, auditOf(entries[0].WorkspaceID)))
	}
}

func testAuditIDsAreUnique(f *fixture) {
	entries := newAudit(f.ws, 3, epoch)
	f.addAudit(entries[1])
	for _, again := range [][]schedctl.AuditEntry{{entries[1]}, {entries[0], entries[0]}, {entries[2], entries[2]}} {
		err := f.store.Update(f.Context(), func(tx storage.Tx) error {
			for _, a := range again {
				if err := tx.AddAudit(a); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			f.Error("an entry was added twice")
		}
	}
	wantSame(f, "entries", entries[1:2], mustRead(f, auditOf(f.ws)))
}
