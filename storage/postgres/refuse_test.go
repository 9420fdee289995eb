package postgres_test

import (
	"errors"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// errTooLate is the error of a transaction that finds a refusal.
var errTooLate = errors.New("the request was refused")

// respond stores a response in a transaction, unless there is a response or a refusal.
// between is called in the first run, after the transaction has read that there is
// none, or after it has written one.
func respond(t *testing.T, s storage.Shared, key storage.IdempotencyScope, written bool, between func()) error {
	t.Helper()
	runs := 0
	return s.Update(t.Context(), func(tx storage.Tx) error {
		runs++
		_, err := tx.IdempotencyRecord(key)
		var refused *storage.RefusedError
		switch {
		case errors.As(err, &refused):
			return errTooLate
		case schedctl.CodeOf(err) != schedctl.NotFound:
			return err
		}
		if runs == 1 && !written {
			between()
		}
		if err := tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 201}); err != nil {
			return err
		}
		if runs == 1 && written {
			if _, err := tx.Workspaces(); err != nil { // sends the buffered writes
				return err
			}
			between()
		}
		return nil
	})
}

// A refusal prevents the commit of a transaction that read earlier that there is no
// response.
func TestRefusalEndsTransactionUnderWay(t *testing.T) {
	t.Parallel()
	one, two := openEmptyTwice(t, &plainSchemas)
	key := storage.IdempotencyScope{Path: "/", IdempotencyKey: "k"}
	err := respond(t, one, key, false, func() {
		if stored, err := two.Refuse(t.Context(), key); stored != nil || err != nil {
			t.Errorf("Refuse: %v, %v", stored, err)
		}
	})
	if !errors.Is(err, errTooLate) {
		t.Errorf("the transaction ended with %v, want an error about the refusal", err)
	}
}

// Refuse waits briefly for a transaction that has written a response, and then leaves
// the outcome open. The transaction ends only after it.
func TestRefusalOfUndecidedRequest(t *testing.T) {
	t.Parallel()
	one, two := openEmptyTwice(t, &plainSchemas)
	key := storage.IdempotencyScope{Path: "/", IdempotencyKey: "k"}
	err := respond(t, one, key, true, func() {
		if stored, err := two.Refuse(t.Context(), key); stored != nil || !errors.Is(err, storage.ErrUndecided) {
			t.Errorf("Refuse: %v, %v, want %v", stored, err, storage.ErrUndecided)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := two.Refuse(t.Context(), key); err != nil || stored == nil || stored.Status != 201 {
		t.Errorf("Refuse after the commit: %v, %v", stored, err)
	}
}
