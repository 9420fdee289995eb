package storagetest

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var idempotencyParts = []part{
	{"AnswerKeepsEveryField", testIdempotencyRecordKeepsEveryField},
	{"AnswersAreFoundByTheWholeKey", testIdempotencyRecordsAreFoundByScope},
	{"AnswerIsReplaced", testIdempotencyRecordIsReplaced},
}

func newIdempotencyRecord(key storage.IdempotencyScope) func(storage.Reader) (storage.IdempotencyRecord, error) {
	return func(r storage.Reader) (storage.IdempotencyRecord, error) { return r.IdempotencyRecord(key) }
}

func (f *fixture) putIdempotencyRecord(key storage.IdempotencyScope, a storage.IdempotencyRecord) {
	f.Helper()
	f.update(func(tx storage.Tx) error { return tx.PutIdempotencyRecord(key, a) })
}

func (f *fixture) idempotencyScope(key string) storage.IdempotencyScope {
	return storage.IdempotencyScope{WorkspaceID: f.ws, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: key}
}

func testIdempotencyRecordKeepsEveryField(f *fixture) {
	key, want := f.idempotencyScope("k"), newFilled[storage.IdempotencyRecord](f)
	given := cloneIdempotencyRecord(want)
	spoil := func(a *storage.IdempotencyRecord) {
		a.Body[0]++
		a.Header["Etag"] = "spoiled"
	}
	f.putIdempotencyRecord(key, given)
	spoil(&given)
	got := mustRead(f, newIdempotencyRecord(key))
	wantSame(f, "answer", want, got)
	spoil(&got)
	wantSame(f, "record after a change of what was read", want, mustRead(f, newIdempotencyRecord(key)))

	bare := storage.IdempotencyRecord{CreatedAt: epoch}
	f.putIdempotencyRecord(f.idempotencyScope("bare"), bare)
	wantSame(f, "empty record", bare, mustRead(f, newIdempotencyRecord(f.idempotencyScope("bare"))))
}

func testIdempotencyRecordsAreFoundByScope(f *fixture) {
	key := storage.IdempotencyScope{WorkspaceID: f.ws, Method: "POST", Path: "/a", IdempotencyKey: "bc"}
	want := storage.IdempotencyRecord{Status: 201, CreatedAt: epoch}
	f.putIdempotencyRecord(key, want)
	wantSame(f, "answer", want, mustRead(f, newIdempotencyRecord(key)))
	for _, other := range []storage.IdempotencyScope{
		{WorkspaceID: newID(schedctl.WorkspacePrefix, epoch), Method: "POST", Path: "/a", IdempotencyKey: "bc"},
		{WorkspaceID: f.ws, Method: "PATCH", Path: "/a", IdempotencyKey: "bc"},
		{WorkspaceID: f.ws, Method: "POST", Path: "/ab", IdempotencyKey: "c"},
		{WorkspaceID: f.ws, Method: "POST/", Path: "a", IdempotencyKey: "bc"},
		{WorkspaceID: f.ws, Method: "POST", Path: "/a", IdempotencyKey: "BC"},
		{WorkspaceID: f.ws, Method: "POST", Path: "/a"},
		{},
	} {
		wantNotFound(f, fmt.Sprintf("%+v", other), newIdempotencyRecord(other))
	}
}

func testIdempotencyRecordIsReplaced(f *fixture) {
	key := f.idempotencyScope("k")
	for i := range 3 {
		want := storage.IdempotencyRecord{Status: 200 + i, CreatedAt: epoch.Add(time.Duration(i%2) * time.Hour)}
		f.putIdempotencyRecord(key, want)
		wantSame(f, "answer", want, mustRead(f, newIdempotencyRecord(key)))
	}
	f.update(func(tx storage.Tx) error {
		_, err := tx.Prune(storage.Retention{IdempotencyRecords: epoch.Add(24 * time.Hour)}, 10)
		return err
	})
	wantNotFound(f, "a record that was replaced and pruned", newIdempotencyRecord(key))
	f.update(func(tx storage.Tx) error {
		if err := tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 1, CreatedAt: epoch}); err != nil {
			return err
		}
		if err := tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 2, CreatedAt: epoch.Add(time.Hour)}); err != nil {
			return err
		}
		got, err := tx.IdempotencyRecord(key)
		if err == nil && got.Status != 2 {
			err = fmt.Errorf("the transaction sees record %d, want 2", got.Status)
		}
		return err
	})
	wantSame(f, "record replaced at once", 2, mustRead(f, newIdempotencyRecord(key)).Status)
}
