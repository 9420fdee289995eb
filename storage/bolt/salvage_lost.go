package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// finish replaces lost workspaces that other records refer to, and counts the
// records that were saved and lost.
func (s *salvager) finish(ctx context.Context) error {
	return s.store.Update(ctx, func(opened storage.Tx) error {
		tx := opened.(*tx)
		for _, k := range kinds {
			s.counts[k.bucket] = 0
		}
		owners := map[ulid]bool{}
		for _, b := range []bucket{keys, accounts, queues, blackouts, series, calendarFeeds, collections, aliases, shares, results, accountResults, sources, sourceItems, webhooks, media} {
			tx.each(b, func(key, _ []byte) { owners[ulid(key)] = true })
		}
		tx.each(posts, func(_, record []byte) { owners[ulid(record[1:])] = true })
		for ws := range owners {
			if tx.in(workspaces).Get(ws[:]) == nil {
				s.lost[workspaces][string(ws[:])] = true
				if err := tx.PutWorkspace(placeholder(ws, time.Now())); err != nil {
					return err
				}
			}
		}
		s.missed(tx)
		for _, k := range kinds {
			tx.each(k.bucket, func(key, _ []byte) {
				if k.bucket == workspaces && s.lost[workspaces][string(key)] {
					return // a placeholder
				}
				s.counts[k.bucket]++
				delete(s.lost[k.bucket], string(key))
			})
		}
		return nil
	})
}

// each calls fn for each row of a bucket.
func (r *reader) each(b bucket, fn func(key, value []byte)) {
	c := r.in(b).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		fn(k, v)
	}
}

// missed adds to lost the records that the indexes and posts of the damaged file
// name and that the new file does not have.
func (s *salvager) missed(tx *tx) {
	miss := func(b bucket, key []byte) {
		if tx.in(b).Get(key) == nil {
			s.lost[b][string(key)] = true
		}
	}
	s.source.walk(postsByAge, func(it item) {
		if len(it.key) == 49 {
			miss(posts, it.key[33:])
		}
	})
	s.source.walk(keyHashes, func(it item) {
		if len(it.value) == 32 {
			miss(keys, it.value)
		}
	})
	s.source.walk(accountNames, func(it item) {
		if len(it.key) > 16 && len(it.value) == 16 {
			miss(accounts, concat(nil, it.key[:16], it.value))
		}
	})
	s.source.walk(webhookOwners, func(it item) {
		if len(it.key) == 16 && len(it.value) == 16 {
			miss(webhooks, concat(nil, it.value, it.key))
		}
	})
	s.source.walk(eventsByPost, func(it item) {
		for ids := it.value; len(ids) >= 16; ids = ids[16:] {
			miss(events, ids[:16])
		}
	})
	s.source.walk(mediaHashes, func(it item) {
		if len(it.key) == mediaHashSize {
			miss(media, concat(nil, it.key[32:48], it.key[49:]))
		}
	})
	s.source.walk(mediaExpiry, func(it item) {
		if len(it.key) == 40 {
			miss(media, concat(nil, it.key[24:], it.key[8:24]))
		}
	})
	s.source.walk(owners, func(it item) {
		if len(it.key) == 17 && len(it.value) == 16 {
			if of, known := ownedBuckets[it.key[0]]; known {
				miss(of, concat(nil, it.value, it.key[1:]))
			}
		}
	})
	s.missedAttempts(tx, miss)
	s.missedAnswers(tx)
}

// mostAttempts bounds the number of attempts of a target. A higher number is damage.
const mostAttempts = 1000

// missedAttempts adds the attempts that posts count.
func (s *salvager) missedAttempts(tx *tx, miss func(bucket, []byte)) {
	tx.each(posts, func(key, record []byte) {
		p, err := readPost(key, record)
		if err != nil {
			return
		}
		for _, t := range p.Targets {
			target, err := parse(schedctl.TargetPrefix, t.ID)
			if err != nil || t.Attempts > mostAttempts {
				continue
			}
			for n := 1; n <= t.Attempts; n++ {
				miss(attempts, binary.BigEndian.AppendUint32(slices.Clone(target[:]), uint32(n)))
			}
		}
	})
}

// missedAnswers adds the idempotency records whose key prefixes are in the index.
func (s *salvager) missedAnswers(tx *tx) {
	known := map[string]bool{}
	for key := range s.lost[idempotencyRecords] {
		known[key[:min(len(key), idempotencyHashSize)]] = true
	}
	c := tx.in(idempotencyRecords).Cursor()
	s.source.walk(idempotencyHashes, func(it item) {
		if len(it.key) != idempotencyHashSize || known[string(it.key)] {
			return
		}
		if k, _ := c.Seek(it.key); !bytes.HasPrefix(k, it.key) {
			s.lost[idempotencyRecords][string(it.key)] = true
		}
	})
}

// placeholder returns a workspace that replaces the lost workspace ws.
func placeholder(ws ulid, now time.Time) schedctl.Workspace {
	return schedctl.Workspace{
		ID: ws.ID(schedctl.WorkspacePrefix), Name: "salvaged", Timezone: "UTC", Plan: "self-hosted", CreatedAt: schedctl.Millis(now),
	}
}
