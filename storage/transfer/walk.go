package transfer

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl/storage"
)

// copyPosition is how far the records of a database were read, in the order of kinds
// and owners.
type copyPosition struct {
	Kind  string `json:"kind"`
	Owner string `json:"owner,omitempty"`
	After string `json:"after,omitempty"` // position within the kind; empty for the start
}

// view reads from a database that supports export.
func view(ctx context.Context, store storage.Store, fn func(storage.Exporter) error) error {
	return store.View(ctx, func(r storage.Reader) error {
		e, ok := r.(storage.Exporter)
		if !ok {
			return fmt.Errorf("cannot copy from a database of this type (%T)", store)
		}
		return fn(e)
	})
}

// walker reads a database, each page of records in its own transaction.
type walker struct{ limit int } // page size

// visitor receives the records of a page and the position after them.
type visitor func(k *kind, records []any, behind copyPosition) error

// all reads all records after a position.
func (w walker) all(ctx context.Context, store storage.Store, from copyPosition, visit visitor) error {
	first := max(0, slices.IndexFunc(kinds, func(k kind) bool { return k.name == from.Kind }))
	for i := first; i < len(kinds); i++ {
		if i > first {
			from = copyPosition{}
		}
		if err := w.kind(ctx, store, &kinds[i], from, visit); err != nil {
			return fmt.Errorf("%s: %w", kinds[i].name, err)
		}
	}
	return nil
}

// kind reads all records of a kind after a position.
func (w walker) kind(ctx context.Context, store storage.Store, k *kind, from copyPosition, visit visitor) error {
	var owners []string
	err := view(ctx, store, func(r storage.Exporter) (err error) {
		owners, err = k.owners(r)
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(owners)
	for _, owner := range owners {
		if owner < from.Owner {
			continue
		}
		at := copyPosition{Kind: k.name, Owner: owner}
		if owner == from.Owner {
			at.After = from.After
		}
		if err := w.owner(ctx, store, k, at, visit); err != nil {
			return err
		}
	}
	return nil
}

// owner reads all records of a kind and an owner after a position.
func (w walker) owner(ctx context.Context, store storage.Store, k *kind, at copyPosition, visit visitor) error {
	for more := true; more; {
		var records []any
		behind := at
		err := view(ctx, store, func(r storage.Exporter) (err error) {
			records, behind.After, err = k.page(r, at.Owner, at.After, w.limit)
			return err
		})
		if err != nil {
			return err
		}
		if more = behind.After != ""; !more {
			behind.Owner += "~" // no owner sorts in between
		}
		if len(records) > 0 {
			if err := visit(k, records, behind); err != nil {
				return err
			}
		}
		at = behind
	}
	return nil
}
