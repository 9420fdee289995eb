package storagetest

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var answerParts = []part{
	{"AnswerKeepsEveryField", testAnswerKeepsEveryField},
	{"AnswersAreFoundByTheWholeKey", testAnswersAreFoundByTheWholeKey},
	{"AnswerIsReplaced", testAnswerIsReplaced},
}

func answerTo(key storage.IdempotencyScope) func(storage.Reader) (storage.IdempotencyRecord, error) {
	return func(r storage.Reader) (storage.IdempotencyRecord, error) { return r.IdempotencyRecord(key) }
}

func (f *fixture) putAnswer(key storage.IdempotencyScope, a storage.IdempotencyRecord) {
	f.Helper()
	f.update(func(tx storage.Tx) error { return tx.PutIdempotencyRecord(key, a) })
}

func (f *fixture) answerKey(key string) storage.IdempotencyScope {
	return storage.IdempotencyScope{WorkspaceID: f.ws, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: key}
}

func testAnswerKeepsEveryField(f *fixture) {
	key, want := f.answerKey("k"), filled[storage.IdempotencyRecord](f)
	given := cloneAnswer(want)
	spoil := func(a *storage.IdempotencyRecord) {
		a.Body[0]++
		a.Header["Etag"] = "spoiled"
	}
	f.putAnswer(key, given)
	spoil(&given)
	got := read(f, answerTo(key))
	same(f, "answer", want, got)
	spoil(&got)
	same(f, "answer after a change of what was read", want, read(f, answerTo(key)))

	bare := storage.IdempotencyRecord{CreatedAt: epoch}
	f.putAnswer(f.answerKey("bare"), bare)
	same(f, "empty answer", bare, read(f, answerTo(f.answerKey("bare"))))
}

func testAnswersAreFoundByTheWholeKey(f *fixture) {
	key := storage.IdempotencyScope{WorkspaceID: f.ws, Method: "POST", Path: "/a", IdempotencyKey: "bc"}
	want := storage.IdempotencyRecord{Status: 201, CreatedAt: epoch}
	f.putAnswer(key, want)
	same(f, "answer", want, read(f, answerTo(key)))
	for _, other := range []storage.IdempotencyScope{
		{WorkspaceID: newID(schedctl.WorkspacePrefix, epoch), Method: "POST", Path: "/a", IdempotencyKey: "bc"},
		{WorkspaceID: f.ws, Method: "PATCH", Path: "/a", IdempotencyKey: "bc"},
		{WorkspaceID: f.ws, Method: "POST", Path: "/ab", IdempotencyKey: "c"},
		{WorkspaceID: f.ws, Method: "POST/", Path: "a", IdempotencyKey: "bc"},
		{WorkspaceID: f.ws, Method: "POST", Path: "/a", IdempotencyKey: "BC"},
		{WorkspaceID: f.ws, Method: "POST", Path: "/a"},
		{},
	} {
		missing(f, fmt.Sprintf("%+v", other), answerTo(other))
	}
}

func testAnswerIsReplaced(f *fixture) {
	key := f.answerKey("k")
	for i := range 3 {
		want := storage.IdempotencyRecord{Status: 200 + i, CreatedAt: epoch.Add(time.Duration(i%2) * time.Hour)}
		f.putAnswer(key, want)
		same(f, "answer", want, read(f, answerTo(key)))
	}
	f.update(func(tx storage.Tx) error {
		_, err := tx.Prune(storage.Retention{Answers: epoch.Add(24 * time.Hour)}, 10)
		return err
	})
	missing(f, "an answer that was replaced and pruned", answerTo(key))
	f.update(func(tx storage.Tx) error {
		if err := tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 1, CreatedAt: epoch}); err != nil {
			return err
		}
		if err := tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 2, CreatedAt: epoch.Add(time.Hour)}); err != nil {
			return err
		}
		got, err := tx.IdempotencyRecord(key)
		if err == nil && got.Status != 2 {
			err = fmt.Errorf("the transaction sees answer %d, want 2", got.Status)
		}
		return err
	})
	same(f, "answer replaced at once", 2, read(f, answerTo(key)).Status)
}
