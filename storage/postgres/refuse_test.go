package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// errTooLate is what a transaction of these tests ends with that meets a refusal.
var errTooLate = errors.New("refused meanwhile")

// respond stores a response in a transaction, unless there is one or a refusal.
// between is called in the first run, after the transaction has read that there is
// none, or has written it.
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
			if _, err := tx.Workspaces(); err != nil { // sends what was written
				return err
			}
			between()
		}
		return nil
	})
}

// A refusal keeps a transaction from its commit that has read before that there is
// no response.
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
		t.Errorf("the transaction ended with %v, want that it met the refusal", err)
	}
}

// A refusal waits a moment for a transaction that has written a response, and then
// leaves the outcome open.
func TestRefusalOfUndecidedRequest(t *testing.T) {
	t.Parallel()
	one, two := openEmptyTwice(t, &plainSchemas)
	key := storage.IdempotencyScope{Path: "/", IdempotencyKey: "k"}
	err := respond(t, one, key, true, func() {
		began := time.Now()
		if stored, err := two.Refuse(t.Context(), key); stored != nil || !errors.Is(err, storage.ErrUndecided) {
			t.Errorf("Refuse: %v, %v, want %v", stored, err, storage.ErrUndecided)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("Refuse has waited for %v", took)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := two.Refuse(t.Context(), key); err != nil || stored == nil || stored.Status != 201 {
		t.Errorf("Refuse after the commit: %v, %v", stored, err)
	}
}
