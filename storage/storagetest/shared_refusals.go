package storagetest

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var refusalParts = []sharedPart{
	{"Refusals", testRefusals},
	{"RefusalsAreNotExported", testRefusalsAreNotExported},
}

// refuse stores a refusal and returns the existing response, if any.
func (f *sharedFixture) refuse(s storage.Shared, key storage.IdempotencyScope) *storage.IdempotencyRecord {
	f.Helper()
	stored, err := s.Refuse(context.Background(), key)
	if err != nil {
		f.Fatalf("Refuse: %v", err)
	}
	return stored
}

// storedFor reads the idempotency record of a request.
func storedFor(s storage.Store, key storage.IdempotencyScope) (a storage.IdempotencyRecord, err error) {
	err = s.View(context.Background(), func(r storage.Reader) (err error) {
		a, err = r.IdempotencyRecord(key)
		return err
	})
	return a, err
}

// wantRefused checks that a request was refused since a time.
func (f *sharedFixture) wantRefused(s storage.Store, key storage.IdempotencyScope, since time.Time) {
	f.Helper()
	_, err := storedFor(s, key)
	var refused *storage.RefusedError
	if !errors.As(err, &refused) || schedctl.CodeOf(err) != schedctl.NotFound {
		f.Fatalf("after a refusal: %v", err)
	}
	if passed := time.Since(since); refused.Ago < 0 || refused.Ago > passed+time.Millisecond {
		f.Errorf("refused %v ago, want at most %v", refused.Ago, passed)
	}
}

func testRefusals(f *sharedFixture) {
	key, other := f.idempotencyScope("refused"), f.idempotencyScope("other")
	before := time.Now()
	if stored := f.refuse(f.one, key); stored != nil {
		f.Errorf("a refusal of a new request returned %v", stored)
	}
	f.wantRefused(f.two, key, before)
	if _, err := storedFor(f.one, other); schedctl.CodeOf(err) != schedctl.NotFound {
		f.Errorf("another request: %v", err)
	}

	again := time.Now()
	f.refuse(f.two, key)
	f.wantRefused(f.one, key, again)

	f.putIdempotencyRecord(key, storage.IdempotencyRecord{Status: 201, CreatedAt: epoch})
	if stored, err := storedFor(f.two, key); err != nil || stored.Status != 201 {
		f.Errorf("a response after a refusal: %+v, %v", stored, err)
	}
	if stored := f.refuse(f.two, key); stored == nil || stored.Status != 201 {
		f.Errorf("a refusal after a response returned %v", stored)
	}
	if stored, err := storedFor(f.one, key); err != nil || stored.Status != 201 {
		f.Errorf("a response after a late refusal: %+v, %v", stored, err)
	}
}

// testRefusalsAreNotExported reads all idempotency records as a copy of the database
// does.
func testRefusalsAreNotExported(f *sharedFixture) {
	f.refuse(f.one, f.idempotencyScope("refused"))
	f.putIdempotencyRecord(f.idempotencyScope("kept"), storage.IdempotencyRecord{Status: 201, CreatedAt: epoch})
	var all []storage.StoredIdempotencyRecord
	err := f.one.View(context.Background(), func(r storage.Reader) (err error) {
		all, err = r.(storage.Exporter).IdempotencyRecords(storage.StoredIdempotencyRecord{}, 10)
		return err
	})
	if err != nil || len(all) != 1 || all[0].Record.Status != 201 {
		f.Errorf("exported %v, %v; want one response", all, err)
	}
}
