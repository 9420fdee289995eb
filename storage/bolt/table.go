package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// table describes a bucket whose keys are the id of an owner and the id of the record.
type table[T any] struct {
	bucket        bucket
	owner, record schedctl.Prefix
	ids           func(*T) (owner, record *string)
	fields        func(*coder, *T)
}

var (
	accountTable = table[schedctl.Account]{
		accounts, schedctl.WorkspacePrefix, schedctl.AccountPrefix,
		func(a *schedctl.Account) (owner, record *string) { return &a.WorkspaceID, &a.ID }, (*coder).account,
	}
	keyTable = table[schedctl.APIKey]{
		keys, schedctl.WorkspacePrefix, schedctl.KeyPrefix,
		func(k *schedctl.APIKey) (owner, record *string) { return &k.WorkspaceID, &k.ID }, (*coder).key,
	}
	webhookTable = table[schedctl.Webhook]{
		webhooks, schedctl.WorkspacePrefix, schedctl.WebhookPrefix,
		func(w *schedctl.Webhook) (owner, record *string) { return &w.WorkspaceID, &w.ID }, (*coder).webhook,
	}
	deliveryTable = table[schedctl.Delivery]{
		deliveries, schedctl.WebhookPrefix, schedctl.DeliveryPrefix,
		func(d *schedctl.Delivery) (owner, record *string) { return &d.WebhookID, &d.ID }, (*coder).delivery,
	}
	auditTable = table[schedctl.AuditEntry]{
		audit, schedctl.WorkspacePrefix, schedctl.AuditPrefix,
		func(a *schedctl.AuditEntry) (owner, record *string) { return &a.WorkspaceID, &a.ID }, (*coder).auditEntry,
	}
	mediaTable = table[schedctl.MediaAsset]{
		media, schedctl.WorkspacePrefix, schedctl.MediaPrefix,
		func(a *schedctl.MediaAsset) (owner, record *string) { return &a.WorkspaceID, &a.ID }, (*coder).mediaAsset,
	}
)

// read decodes the record under a key.
func (t *table[T]) read(key, record []byte) (v T, err error) {
	if len(key) != 32 {
		return v, wrongKey(t.bucket, key)
	}
	ownerID, recordID := t.ids(&v)
	*ownerID, *recordID = id(key[:16], t.owner), id(key[16:], t.record)
	if err := decode(record, &v, t.fields); err != nil {
		return v, fmt.Errorf("%s %s: %w", nouns[t.record], *recordID, err)
	}
	return v, nil
}

// get returns the record with these ids, or NOT_FOUND.
func (t *table[T]) get(r *reader, ownerID, recordID string) (T, error) {
	owner, record, err := parse2(t.owner, ownerID, t.record, recordID)
	if err != nil {
		return *new(T), err
	}
	return t.at(r, owner, record)
}

// at is get for parsed ids.
func (t *table[T]) at(r *reader, owner, record ulid) (T, error) {
	key := concat(r.scratch[:0], owner[:], record[:])
	found := r.in(t.bucket).Get(key)
	if found == nil {
		return *new(T), notFound(t.record, record.ID(t.record))
	}
	return t.read(key, found)
}

// indexed returns the record of an entry of an index. key is the key of the record.
func (t *table[T]) indexed(r *reader, index bucket, key []byte) (T, error) {
	record := r.in(t.bucket).Get(key)
	if record == nil {
		return *new(T), fmt.Errorf("%q: %w: the %s of an entry is missing", index, storage.ErrCorrupt, nouns[t.record])
	}
	return t.read(key, record)
}

// list returns all records of an owner.
func (t *table[T]) list(r *reader, ownerID string) ([]T, error) {
	owner, err := parse(t.owner, ownerID)
	if err != nil {
		return nil, err
	}
	return listUnder(r, t.bucket, owner[:], t.read)
}

// listUnder reads all records whose keys have a prefix.
func listUnder[T any](r *reader, b bucket, prefix []byte, read func(key, record []byte) (T, error)) (list []T, err error) {
	c := r.in(b).Cursor()
	n := 0 // append alone would allocate three times as much
	for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		n++
	}
	list = slices.Grow(list, n)
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		item, err := read(k, v)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

// page returns up to limit records of an owner that are older than the record afterID,
// or the youngest ones if afterID is empty. The youngest is the first.
func (t *table[T]) page(r *reader, ownerID, afterID string, limit int) ([]T, error) {
	owner, err := parse(t.owner, ownerID)
	if err != nil {
		return nil, err
	}
	end := afterAll(owner[:])
	if afterID != "" {
		after, err := parse(t.record, afterID)
		if err != nil {
			return nil, err
		}
		end = concat(nil, owner[:], after[:])
	}
	return listBefore(r, t.bucket, owner[:], end, limit, t.read)
}

// listBefore reads up to limit records whose keys have a prefix and are below end. The
// greatest key is the first.
func listBefore[T any](r *reader, b bucket, prefix, end []byte, limit int, read func(key, record []byte) (T, error)) (list []T, err error) {
	c := r.in(b).Cursor()
	for k := seekBefore(c, end); len(list) < limit && bytes.HasPrefix(k, prefix); k = stepBack(c, k) {
		item, err := read(k, r.in(b).Get(k))
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

// afterAll returns a key greater than every key that consists of owner and another id.
func afterAll(owner []byte) []byte {
	return concat(nil, owner, bytes.Repeat([]byte{0xff}, 17))
}
