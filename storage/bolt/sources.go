package bolt

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var sourceKind = ownedKind[schedctl.Source]{
	table: table[schedctl.Source]{
		bucket: sources, owner: schedctl.WorkspacePrefix, record: schedctl.SourcePrefix, fields: (*coder).source,
		ids: func(s *schedctl.Source) (workspaceID, id *string) { return &s.WorkspaceID, &s.ID },
	},
	index: func(dst []indexEntry, s *schedctl.Source, ws, id ulid) []indexEntry {
		if s.WakeAt.IsZero() {
			return dst
		}
		return append(dst, timeEntry(sourcesDue, timeKey(s.WakeAt.UnixMilli()), ws, id))
	},
}

var sourceItemKind = ownedKind[schedctl.SourceItem]{
	table: table[schedctl.SourceItem]{
		bucket: sourceItems, owner: schedctl.WorkspacePrefix, record: schedctl.SourceItemPrefix, fields: (*coder).sourceItem,
		ids: func(i *schedctl.SourceItem) (workspaceID, id *string) { return &i.WorkspaceID, &i.ID },
	},
	index: sourceItemEntries,
}

// sourceItemEntries appends the entries of an item in the lists of its source, and one for
// each key.
func sourceItemEntries(dst []indexEntry, i *schedctl.SourceItem, ws, id ulid) []indexEntry {
	source, err := parse(schedctl.SourcePrefix, i.SourceID)
	if err == nil {
		for _, state := range []schedctl.ItemState{"", i.State} {
			dst = append(dst, indexEntry{bucket: sourceItemLists, key: concat(itemListKey(ws, source, state), id[:])})
			if i.State == "" {
				break
			}
		}
	}
	for _, key := range sortedSet(i.Keys) {
		dst = append(dst, indexEntry{bucket: sourceItemKeys, key: concat(itemKeyKey(ws, key), id[:])})
	}
	return dst
}

// itemListKey returns the start of the keys of the items of a source in a state; the empty
// state stands for all.
func itemListKey(ws, source ulid, state schedctl.ItemState) []byte {
	sum := sha256.Sum256([]byte(state))
	return concat(nil, ws[:], source[:], sum[:16])
}

// itemKeyKey returns the start of the keys of the items that have a key.
func itemKeyKey(ws ulid, key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return concat(nil, ws[:], sum[:16])
}

// Source implements [storage.Reader].
func (r *reader) Source(workspaceID, id string) (schedctl.Source, error) {
	return sourceKind.get(r, workspaceID, id)
}

// Sources implements [storage.Reader].
func (r *reader) Sources(workspaceID string) ([]schedctl.Source, error) {
	return sourceKind.list(r, workspaceID)
}

// SourcesDue implements [storage.Reader].
func (r *reader) SourcesDue(before time.Time, limit int) ([]schedctl.Source, error) {
	return ownedBefore(r, &sourceKind, sourcesDue, timeKey(before.UnixMilli()), limit)
}

// SourceItem implements [storage.Reader].
func (r *reader) SourceItem(workspaceID, id string) (schedctl.SourceItem, error) {
	return sourceItemKind.get(r, workspaceID, id)
}

// SourceItems implements [storage.Reader].
func (r *reader) SourceItems(q storage.SourceItemQuery) ([]schedctl.SourceItem, error) {
	ws, source, err := parse2(schedctl.WorkspacePrefix, q.WorkspaceID, schedctl.SourcePrefix, q.SourceID)
	if err != nil {
		return nil, err
	}
	prefix := itemListKey(ws, source, q.State)
	end := afterAll(prefix)
	if q.AfterID != "" {
		after, err := parse(schedctl.SourceItemPrefix, q.AfterID)
		if err != nil {
			return nil, err
		}
		end = concat(nil, prefix, after[:])
	}
	return listBefore(r, sourceItemLists, prefix, end, q.Limit, r.itemOf(sourceItemLists, ws))
}

// itemOf returns a function that reads the item of an entry of an index.
func (r *reader) itemOf(index bucket, ws ulid) func(key, record []byte) (schedctl.SourceItem, error) {
	return func(key, _ []byte) (v schedctl.SourceItem, err error) {
		if len(key) < 32 {
			return v, wrongKey(index, key)
		}
		return sourceItemKind.indexed(r, index, concat(nil, ws[:], key[len(key)-16:]))
	}
}

// SourceItemsList implements [storage.Reader].
func (r *reader) SourceItemsList(workspaceID, afterID string, limit int) ([]schedctl.SourceItem, error) {
	return sourceItemKind.page(r, workspaceID, afterID, limit)
}

// SourceItemsByKey implements [storage.Reader].
func (r *reader) SourceItemsByKey(workspaceID string, keys []string) (list []schedctl.SourceItem, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	for _, key := range sortedSet(keys) {
		found, err := listUnder(r, sourceItemKeys, itemKeyKey(ws, key), r.itemOf(sourceItemKeys, ws))
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, func(a, b schedctl.SourceItem) int { return strings.Compare(b.ID, a.ID) })
	return slices.CompactFunc(list, func(a, b schedctl.SourceItem) bool { return a.ID == b.ID }), nil
}

// PutSource implements [storage.Tx].
func (tx *tx) PutSource(s schedctl.Source) error { return putOwned(tx, &sourceKind, &s) }

// DeleteSource implements [storage.Tx].
func (tx *tx) DeleteSource(workspaceID, id string) error {
	return deleteOwned(tx, &sourceKind, workspaceID, id)
}

// PutSourceItem implements [storage.Tx].
func (tx *tx) PutSourceItem(i schedctl.SourceItem) error { return putOwned(tx, &sourceItemKind, &i) }

// DeleteSourceItem implements [storage.Tx].
func (tx *tx) DeleteSourceItem(workspaceID, id string) error {
	return deleteOwned(tx, &sourceItemKind, workspaceID, id)
}
