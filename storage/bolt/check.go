package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// faultLimit is the maximum number of faults that Check reports.
const faultLimit = 20

// Check reads the whole database. It compares every index with its records, and the
// pages with the freelist. For a damaged database it returns an error that wraps
// [storage.ErrCorrupt] and has the first faults. The database may be in use; writers wait
// for the first part of the check.
func (s *Store) Check(ctx context.Context) error {
	if err := s.checkPages(ctx); err != nil {
		return err
	}
	return s.View(ctx, func(r storage.Reader) error {
		c := checker{reader: r.(*reader), ctx: ctx}
		c.all()
		return c.result(s.path)
	})
}

// checkPages checks the tree of pages. It uses a write transaction, because the freelist
// belongs to the writer, and because the file must not change during the check.
func (s *Store) checkPages(ctx context.Context) error {
	tx, err := s.db.Begin(true)
	if err != nil {
		return storage.ErrClosed
	}
	defer tx.Rollback()
	if err := walkFile(ctx, s.path); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	c := checker{ctx: ctx}
	c.pages(tx)
	return c.result(s.path)
}

// checker compares indexes with records.
type checker struct {
	*reader
	ctx    context.Context
	faults []error
	expect [bucketCount]int // entries that the records account for
	seen   [bucketCount]int // entries that were read
}

// pages compares the tree of pages with the freelist.
func (c *checker) pages(tx *bbolt.Tx) {
	for fault := range tx.Check() {
		c.fault("%w", fault)
	}
}

// all compares all indexes with all records.
func (c *checker) all() {
	for _, check := range []func(*checker){
		(*checker).posts, (*checker).attempts, (*checker).accounts, (*checker).keys,
		(*checker).idempotencyRecords, (*checker).events, (*checker).webhooks, (*checker).deliveries, (*checker).media, (*checker).plans,
		(*checker).records, (*checker).counts,
	} {
		check(c)
	}
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < faultLimit {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

// result returns the faults as an error, or nil.
func (c *checker) result(path string) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if len(c.faults) > 0 {
		return fmt.Errorf("%s: %w: %w", path, storage.ErrCorrupt, errors.Join(c.faults...))
	}
	return nil
}

// each calls fn for each row of a bucket.
func (c *checker) each(b bucket, fn func(key, value []byte) error) {
	cursor := c.in(b).Cursor()
	for k, v := cursor.First(); k != nil && c.ctx.Err() == nil; k, v = cursor.Next() {
		c.seen[b]++
		if err := fn(k, v); err != nil {
			c.fault("%q: key %x: %w", b, k, err)
		}
	}
}

// holds counts an expected entry of an index, and checks that it exists.
func (c *checker) holds(b bucket, key, value []byte) {
	c.expect[b]++
	switch v := c.in(b).Get(key); {
	case v == nil:
		c.fault("%q: key %x is missing", b, key)
	case !bytes.Equal(v, value):
		c.fault("%q: key %x has %x, want %x", b, key, v, value)
	}
}

func (c *checker) posts() {
	var list []entry
	c.each(posts, func(key, _ []byte) error {
		if len(key) != 16 {
			return errors.New("its length is wrong")
		}
		p, _, err := c.post(ulid(key))
		if err != nil {
			return err
		}
		if list, err = entries(list[:0], &p); err != nil {
			return err
		}
		for i := range list {
			c.holds(list[i].bucket, list[i].key(), list[i].value())
		}
		return nil
	})
}

func (c *checker) attempts() {
	c.each(attempts, func(key, record []byte) error {
		a, err := readAttempt(key, record)
		if err == nil && a.FinishedAt.IsZero() {
			c.holds(running, key, nil)
		}
		return err
	})
}

func (c *checker) accounts() {
	c.each(accounts, func(key, record []byte) error {
		a, err := accountTable.read(key, record)
		if err != nil {
			return err
		}
		for _, n := range accountNameEntries(&a, ulid(key), ulid(key[16:])) {
			c.holds(n.bucket, n.key, n.value)
		}
		return nil
	})
}

func (c *checker) keys() {
	c.each(keys, func(key, record []byte) error {
		k, err := keyTable.read(key, record)
		if err == nil {
			c.holds(keyHashes, k.Hash[:], key)
		}
		return err
	})
}

func (c *checker) idempotencyRecords() {
	c.each(idempotencyRecords, func(key, record []byte) error {
		if len(key) != 40 {
			return errors.New("its length is wrong")
		}
		c.holds(idempotencyHashes, key[:idempotencyHashSize], nil)
		return decode(record, new(storage.IdempotencyRecord), (*coder).idempotencyRecord)
	})
}

// events compares events with their index: both have the same number, and every event of
// the index exists.
func (c *checker) events() {
	about, named := 0, 0
	c.each(events, func(key, record []byte) error {
		e, err := readEvent(key, record)
		if err == nil && e.PostID != "" {
			about++
		}
		return err
	})
	c.each(eventsByPost, func(key, value []byte) error {
		ids, err := appendEvents(nil, key, value)
		if err != nil {
			return err
		}
		named += len(ids)
		for i := range ids {
			if i > 0 && compareULIDs(ids[i-1], ids[i]) >= 0 {
				return errors.New("its events are not in order")
			}
			e, err := readEvent(ids[i][:], c.in(events).Get(ids[i][:]))
			if err != nil {
				return err
			}
			if e.PostID != id(key[:16], schedctl.PostPrefix) {
				return fmt.Errorf("%s is about another post", e.ID)
			}
		}
		return nil
	})
	if c.ctx.Err() == nil && about != named {
		c.fault("%q has %d events, want %d", eventsByPost, named, about)
	}
}

func (c *checker) webhooks() {
	c.each(webhooks, func(key, record []byte) error {
		_, err := webhookTable.read(key, record)
		if err == nil {
			c.holds(webhookOwners, key[16:], key[:16])
		}
		return err
	})
}

func (c *checker) deliveries() {
	c.each(deliveries, func(key, record []byte) error {
		d, err := deliveryTable.read(key, record)
		if err != nil {
			return err
		}
		if pending := pendingKey(&d, key); pending != nil {
			c.holds(pendingDeliveries, pending, nil)
		}
		return nil
	})
}

// media compares assets with their indexes, and the sizes of workspaces with the sums of
// those of their assets.
func (c *checker) media() {
	sizes := map[ulid]int64{}
	c.each(media, func(key, record []byte) error {
		a, err := mediaTable.read(key, record)
		if err != nil {
			return err
		}
		for _, e := range mediaEntries(&a, ulid(key), ulid(key[16:])) {
			c.holds(e.bucket, e.key, nil)
		}
		sizes[ulid(key)] += quotaSize(&a)
		return nil
	})
	for ws, size := range sizes {
		if size != 0 {
			c.holds(mediaSizes, ws[:], binary.BigEndian.AppendUint64(nil, uint64(size)))
		}
	}
}

// plans compares queues, blackouts, series, calendar feeds, collections, aliases, shares, sources, and results of targets and accounts with their indexes.
func (c *checker) plans() {
	checkOwned(c, &queueKind)
	checkOwned(c, &blackoutKind)
	checkOwned(c, &seriesKind)
	checkOwned(c, &feedKind)
	checkOwned(c, &collectionKind)
	checkOwned(c, &aliasKind)
	checkOwned(c, &shareKind)
	checkOwned(c, &resultsKind)
	checkOwned(c, &accountResultsKind)
	checkOwned(c, &sourceKind)
	checkOwned(c, &sourceItemKind)
}

// checkOwned compares the records of a kind with their indexes.
func checkOwned[T any](c *checker, k *ownedKind[T]) {
	c.each(k.bucket, func(key, record []byte) error {
		v, err := k.read(key, record)
		if err != nil {
			return err
		}
		for _, e := range k.entries(&v, ulid(key), ulid(key[16:])) {
			c.holds(e.bucket, e.key, e.value)
		}
		return nil
	})
}

// records reads the records without indexes.
func (c *checker) records() {
	c.each(workspaces, func(key, record []byte) error {
		_, err := readWorkspace(key, record)
		return err
	})
	c.each(audit, func(key, record []byte) error {
		_, err := auditTable.read(key, record)
		return err
	})
}

// counts finds index entries without a record. It must run last.
func (c *checker) counts() {
	for _, b := range []bucket{targets, externalIDs, due, postsByAge, postsByTime, published, contents, networkIDs, identities, running, accountNames, feeds, keyHashes, idempotencyHashes, webhookOwners, pendingDeliveries, mediaHashes, mediaSizes, mediaExpiry, mediaUses, owners, blackoutEnds, seriesExternalIDs, seriesSweeps, calendarFeedHashes, shareHashes, resultsDue, sourcesDue, sourceItemLists, sourceItemKeys, slots} {
		n := 0
		c.each(b, func(_, _ []byte) error { n++; return nil })
		if c.ctx.Err() == nil && n != c.expect[b] {
			c.fault("%q has %d entries, want %d", b, n, c.expect[b])
		}
	}
}
