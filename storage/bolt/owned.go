package bolt

import (
	"bytes"
	"slices"

	"github.com/schedctl/schedctl"
)

// ownedKind describes records that belong to a workspace and whose ids are unique in the
// database: queues, blackouts, series, calendar feeds, collections, aliases,
// shares and sources with their items, and the results of targets and accounts.
type ownedKind[T any] struct {
	table[T]

	// index appends the entries of a record in the indexes of its kind. The bucket of
	// owners has an entry of each record in addition.
	index func(dst []indexEntry, v *T, ws, id ulid) []indexEntry
}

// ownerKey returns the key of a record in the bucket of owners.
func (k *ownedKind[T]) ownerKey(id ulid) []byte { return append([]byte{k.letter()}, id[:]...) }

// letter returns the first byte of the keys of the kind in the bucket of owners: the first
// letter of its ids, or "h" for shares, "u" for accounts and "f" for sources, because the ids of
// series and aliases start with the same ones.
func (k *ownedKind[T]) letter() byte {
	switch k.record {
	case schedctl.SharePrefix:
		return 'h'
	case schedctl.AccountPrefix:
		return 'u'
	case schedctl.SourcePrefix:
		return 'f'
	}
	return k.record[0]
}

// entries returns all index entries of a record.
func (k *ownedKind[T]) entries(v *T, ws, id ulid) []indexEntry {
	return k.index([]indexEntry{{owners, k.ownerKey(id), slices.Clone(ws[:])}}, v, ws, id)
}

// ownedBefore reads up to limit records from an index by time, before a time. The keys of
// the index consist of the time, the id and the workspace.
func ownedBefore[T any](r *reader, k *ownedKind[T], index bucket, end uint64, limit int) (list []T, err error) {
	c := r.in(index).Cursor()
	for key, _ := c.First(); key != nil && len(list) < limit; key, _ = c.Next() {
		if len(key) != 40 {
			return nil, wrongKey(index, key)
		}
		if readTime(key) >= end {
			break
		}
		v, err := k.indexed(r, index, concat(nil, key[24:], key[8:24]))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// putOwned creates or replaces a record with its index entries.
func putOwned[T any](tx *tx, k *ownedKind[T], v *T) error {
	workspaceID, id := k.ids(v)
	ws, own, err := parse2(schedctl.WorkspacePrefix, *workspaceID, k.record, *id)
	if err != nil {
		return err
	}
	key := concat(nil, ws[:], own[:])
	owner := tx.in(owners).Get(k.ownerKey(own))
	if owner != nil && !bytes.Equal(owner, ws[:]) {
		return notFound(k.record, *id)
	}
	var was []indexEntry
	if owner != nil {
		old, err := k.indexed(&tx.reader, owners, key)
		if err != nil {
			return err
		}
		was = k.entries(&old, ws, own)
	}
	if err := putRecord(tx, k.bucket, key, v, k.fields); err != nil {
		return err
	}
	return tx.moveEntries(was, k.entries(v, ws, own))
}

// deleteOwned deletes a record with its index entries.
func deleteOwned[T any](tx *tx, k *ownedKind[T], workspaceID, id string) error {
	v, err := k.get(&tx.reader, workspaceID, id)
	if err != nil {
		return err
	}
	ws, own, err := parse2(schedctl.WorkspacePrefix, workspaceID, k.record, id)
	if err != nil {
		return err
	}
	if err := tx.delete(k.bucket, concat(nil, ws[:], own[:])); err != nil {
		return err
	}
	return tx.moveEntries(k.entries(&v, ws, own), nil)
}

// moveEntries replaces the index entries was by is, and writes only what differs.
func (tx *tx) moveEntries(was, is []indexEntry) error {
	in := func(list []indexEntry, e indexEntry) bool {
		return slices.ContainsFunc(list, func(o indexEntry) bool {
			return o.bucket == e.bucket && bytes.Equal(o.key, e.key) && bytes.Equal(o.value, e.value)
		})
	}
	for _, e := range was {
		if in(is, e) {
			continue
		}
		if err := tx.delete(e.bucket, e.key); err != nil {
			return err
		}
	}
	for _, e := range is {
		if in(was, e) {
			continue
		}
		if err := tx.put(e.bucket, e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

// timeEntry returns the entry of a record in an index by time.
func timeEntry(index bucket, at uint64, ws, id ulid) indexEntry {
	return indexEntry{bucket: index, key: concat(appendTime(nil, at), id[:], ws[:])}
}
