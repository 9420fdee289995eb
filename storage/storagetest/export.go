package storagetest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var exportParts = []part{
	{"AttemptsOfManyTargets", testAttemptsOfManyTargets},
	{"AllEventsArePaged", testAllEventsArePaged},
	{"AnswersArePaged", testIdempotencyRecordsArePaged},
	{"AnswersAreKnownByTheirHash", testIdempotencyRecordsAreStoredByHash},
	{"NotesAreListed", testMetadataIsListed},
}

// exportRead reads from an engine that supports export.
func exportRead[T any](f *fixture, fn func(storage.Exporter) (T, error)) T {
	f.Helper()
	return mustRead(f, func(r storage.Reader) (v T, err error) {
		e, ok := r.(storage.Exporter)
		if !ok {
			return v, fmt.Errorf("a %T does not support export", r)
		}
		return fn(e)
	})
}

func testAttemptsOfManyTargets(f *fixture) {
	p := newFilled[schedctl.Post](f)
	p.WorkspaceID = f.ws
	f.putPosts(p)
	var want []schedctl.Attempt
	for i := range p.Targets {
		for n := range 3 - i {
			a := newFilled[schedctl.Attempt](f)
			a.ID = newID(schedctl.AttemptPrefix, epoch)
			a.WorkspaceID, a.PostID, a.TargetID, a.Number = f.ws, p.ID, p.Targets[i].ID, 3-n
			want = append(want, a)
		}
	}
	f.update(func(tx storage.Tx) (err error) {
		for _, a := range want {
			err = cmp.Or(err, tx.PutAttempt(a))
		}
		return err
	})
	slices.SortFunc(want, func(a, b schedctl.Attempt) int {
		return cmp.Or(cmp.Compare(a.TargetID, b.TargetID), cmp.Compare(a.Number, b.Number))
	})
	attemptsOf := func(ids ...string) []schedctl.Attempt {
		f.Helper()
		return exportRead(f, func(r storage.Exporter) ([]schedctl.Attempt, error) { return r.AttemptsOf(ids) })
	}
	unknown := newID(schedctl.TargetPrefix, epoch)
	wantSame(f, "attempts of all", want, attemptsOf(p.Targets[2].ID, p.Targets[0].ID, unknown, p.Targets[1].ID))
	only := slices.DeleteFunc(slices.Clone(want), func(a schedctl.Attempt) bool { return a.TargetID != p.Targets[1].ID })
	wantSame(f, "attempts of one", only, attemptsOf(p.Targets[1].ID))
	wantSame(f, "attempts of none", []schedctl.Attempt(nil), attemptsOf())
}

func testAllEventsArePaged(f *fixture) {
	want := f.newEvents(7, epoch)
	f.addEvents(want...)
	var got []schedctl.Event
	for more := true; more; {
		after := ""
		if len(got) > 0 {
			after = got[len(got)-1].ID
		}
		page := exportRead(f, func(r storage.Exporter) ([]schedctl.Event, error) { return r.AllEvents(after, 3) })
		got, more = append(got, page...), len(page) == 3
	}
	wantSame(f, "events", want, got)
}

func testIdempotencyRecordsArePaged(f *fixture) {
	var want []storage.StoredIdempotencyRecord
	f.update(func(tx storage.Tx) (err error) {
		want = nil
		for i := range 20 {
			key := f.idempotencyScope(fmt.Sprint(i))
			a := storage.IdempotencyRecord{Status: i, CreatedAt: epoch.Add(time.Duration(i/5) * time.Hour)}
			if i >= 15 {
				a.CreatedAt = time.Time{}
			}
			want = append(want, storage.StoredIdempotencyRecord{Hash: key.Hash(), Record: a})
			err = cmp.Or(err, tx.PutIdempotencyRecord(key, a))
		}
		return err
	})
	slices.SortFunc(want, func(a, b storage.StoredIdempotencyRecord) int {
		return cmp.Or(a.Record.CreatedAt.Compare(b.Record.CreatedAt), bytes.Compare(a.Hash[:], b.Hash[:]))
	})
	var got []storage.StoredIdempotencyRecord
	for more := true; more; {
		var after storage.StoredIdempotencyRecord
		if len(got) > 0 {
			after = got[len(got)-1]
		}
		page := exportRead(f, func(r storage.Exporter) ([]storage.StoredIdempotencyRecord, error) {
			return r.IdempotencyRecords(after, 3)
		})
		got, more = append(got, page...), len(page) == 3
	}
	wantSame(f, "answers", want, got)
}

func testIdempotencyRecordsAreStoredByHash(f *fixture) {
	key, want := f.idempotencyScope("k"), newFilled[storage.IdempotencyRecord](f)
	stored := storage.StoredIdempotencyRecord{Hash: key.Hash(), Record: want}
	put := func() {
		f.Helper()
		f.update(func(tx storage.Tx) error {
			i, ok := tx.(storage.Importer)
			if !ok {
				return fmt.Errorf("a %T does not support import", tx)
			}
			return i.PutStoredIdempotencyRecord(stored)
		})
	}
	put()
	wantSame(f, "answer", want, mustRead(f, newIdempotencyRecord(key)))
	stored.Record.Status++
	put()
	wantSame(f, "record, put again", []storage.StoredIdempotencyRecord{stored},
		exportRead(f, func(r storage.Exporter) ([]storage.StoredIdempotencyRecord, error) {
			return r.IdempotencyRecords(storage.StoredIdempotencyRecord{}, 9)
		}))
}

func testMetadataIsListed(f *fixture) {
	notes := func() map[string][]byte { f.Helper(); return exportRead(f, storage.Exporter.AllMetadata) }
	wantSame(f, "no metadata", map[string][]byte{}, notes())
	want := map[string][]byte{"a": {0, 1}, "b c": []byte("two"), "z": bytes.Repeat([]byte{7}, storage.MaxMetadata)}
	f.update(func(tx storage.Tx) (err error) {
		for name, value := range want {
			err = cmp.Or(err, tx.PutMetadata(name, value))
		}
		return err
	})
	wantSame(f, "notes", want, notes())
}
