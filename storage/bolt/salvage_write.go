package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// rescue writes what is found into a new database.
type rescue struct {
	found    *findings
	store    *Store
	progress func()

	strays   []strayPage
	taken    int           // strays that records were taken from
	doubtful map[ulid]ulid // posts, and whose they are
	batch    []row
	lost     [bucketCount]map[string]bool // keys of records that were there and cannot be read
	counts   [bucketCount]int             // records in the new file
}

// rescueBatch is how many records are written in one transaction.
const rescueBatch = 1000

func (r *rescue) run(ctx context.Context) error {
	for i := range r.lost {
		r.lost[i] = map[string]bool{}
	}
	if err := r.found.strays(ctx, func(s strayPage) { r.strays = append(r.strays, s) }); err != nil {
		return err
	}
	for i := range kinds {
		if err := r.kind(ctx, &kinds[i]); err != nil {
			return fmt.Errorf("write %s: %w", kinds[i].bucket, err)
		}
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	for _, n := range r.counts {
		if n > 0 {
			return nil
		}
	}
	return foreign(errNothing.Error())
}

// kind writes all records of one kind.
func (r *rescue) kind(ctx context.Context, k *kind) (err error) {
	doubtful := !r.found.certain()
	take := func(row row) {
		if err == nil {
			err = r.take(ctx, k, row)
		}
	}
	oldest := oldestKeys{}
	r.found.walk(k.bucket, func(it item, stray bool) {
		if k.aged && !stray && k.valid(it.key, it.value) {
			oldest.note(it.key)
		}
		take(row{key: it.key, record: it.value, stray: stray, doubtful: stray})
	})
	for _, s := range r.strays {
		if s.kind != k {
			continue
		}
		taken := false
		for _, it := range r.found.items(s) {
			wanted := r.found.certain() || r.found.astray(k.bucket, it.key) || oldest.before(it.key) && r.found.inHole(k.bucket, it.key)
			if wanted && k.valid(it.key, it.value) {
				take(row{key: it.key, record: it.value, stray: true, doubtful: doubtful})
				taken = true
			}
		}
		if taken {
			r.taken++
		}
	}
	if err != nil {
		return err
	}
	return r.flush(ctx, k)
}

// oldestKeys has the oldest key that is there of each owner. Keys are in the order
// of their age, some behind the id of an owner.
type oldestKeys map[string]string

func (o oldestKeys) note(key []byte) {
	if of := ownerIn(key); o[of] == "" || string(key) < o[of] {
		o[of] = string(key)
	}
}

// before reports whether one that is there is older.
func (o oldestKeys) before(key []byte) bool {
	oldest := o[ownerIn(key)]
	return oldest != "" && oldest < string(key)
}

func ownerIn(key []byte) string {
	if len(key) != 32 {
		return ""
	}
	return string(key[:16])
}

// take adds a record to what is to be written.
func (r *rescue) take(ctx context.Context, k *kind, row row) error {
	if !k.valid(row.key, row.record) {
		r.lost[k.bucket][string(row.key)] = true
		return nil
	}
	if r.batch = append(r.batch, row); len(r.batch) < rescueBatch {
		return nil
	}
	return r.flush(ctx, k)
}

// flush writes what was taken. A record that the new database refuses is lost
// alone.
func (r *rescue) flush(ctx context.Context, k *kind) error {
	batch := r.batch
	r.batch = r.batch[:0]
	refused, err := r.put(ctx, k, batch)
	if refused == nil {
		return err
	}
	for i := range batch {
		refused, err := r.put(ctx, k, batch[i:i+1])
		if err != nil && refused == nil {
			return err
		}
		if refused != nil {
			r.lost[k.bucket][string(batch[i].key)] = true
		}
	}
	return nil
}

// put writes records in one transaction. refused is the error of a record, and
// err that of the transaction.
func (r *rescue) put(ctx context.Context, k *kind, batch []row) (refused, err error) {
	if len(batch) == 0 {
		return nil, ctx.Err()
	}
	var no error
	err = r.store.Update(ctx, func(opened storage.Tx) error {
		no = nil
		for _, row := range batch {
			if no = k.put(r, opened.(*tx), row); no != nil {
				return no
			}
		}
		return nil
	})
	if err == nil && r.progress != nil {
		for range batch {
			r.progress()
		}
	}
	return no, err
}

// finish gives what belongs to a lost workspace a new one, and counts what there
// is.
func (r *rescue) finish(ctx context.Context) error {
	return r.store.Update(ctx, func(opened storage.Tx) error {
		tx := opened.(*tx)
		for _, k := range kinds {
			r.counts[k.bucket] = 0
		}
		owners := map[ulid]bool{}
		for _, b := range []bucket{keys, accounts, webhooks} {
			tx.each(b, func(key, _ []byte) { owners[ulid(key)] = true })
		}
		tx.each(posts, func(_, record []byte) { owners[ulid(record[1:])] = true })
		for ws := range owners {
			if tx.in(workspaces).Get(ws[:]) == nil {
				r.lost[workspaces][string(ws[:])] = true
				if err := tx.PutWorkspace(placeholder(ws, time.Now())); err != nil {
					return err
				}
			}
		}
		r.missed(tx)
		for _, k := range kinds {
			tx.each(k.bucket, func(key, _ []byte) {
				if k.bucket == workspaces && r.lost[workspaces][string(key)] {
					return // a new one with its id
				}
				r.counts[k.bucket]++
				delete(r.lost[k.bucket], string(key))
			})
		}
		return nil
	})
}

// each calls fn for all of a bucket.
func (r *reader) each(b bucket, fn func(key, value []byte)) {
	c := r.in(b).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		fn(k, v)
	}
}

// missed notes the records that the indexes of the damaged file name, and posts,
// and that are not in the new one.
func (r *rescue) missed(tx *tx) {
	miss := func(b bucket, key []byte) {
		if tx.in(b).Get(key) == nil {
			r.lost[b][string(key)] = true
		}
	}
	for post := range r.found.listed.status {
		miss(posts, post[:])
	}
	r.found.walk(keyHashes, func(it item, _ bool) {
		if len(it.value) == 32 {
			miss(keys, it.value)
		}
	})
	r.found.walk(accountNames, func(it item, _ bool) {
		if len(it.key) > 16 && len(it.value) == 16 {
			miss(accounts, concat(nil, it.key[:16], it.value))
		}
	})
	r.found.walk(webhookOwners, func(it item, _ bool) {
		if len(it.key) == 16 && len(it.value) == 16 {
			miss(webhooks, concat(nil, it.value, it.key))
		}
	})
	r.found.walk(eventsByPost, func(it item, _ bool) {
		for ids := it.value; len(ids) >= 16; ids = ids[16:] {
			miss(events, ids[:16])
		}
	})
	r.missedAttempts(tx, miss)
	r.missedAnswers(tx)
}

// mostAttempts bounds what a target that is damaged may claim.
const mostAttempts = 1000

// missedAttempts looks for the attempts that posts tell of.
func (r *rescue) missedAttempts(tx *tx, miss func(bucket, []byte)) {
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

// missedAnswers looks for the answers of which the index has the beginnings of
// their keys.
func (r *rescue) missedAnswers(tx *tx) {
	known := map[string]bool{}
	for key := range r.lost[answers] {
		known[key[:min(len(key), answerHashSize)]] = true
	}
	c := tx.in(answers).Cursor()
	r.found.walk(answerHashes, func(it item, _ bool) {
		if len(it.key) != answerHashSize || known[string(it.key)] {
			return
		}
		if k, _ := c.Seek(it.key); !bytes.HasPrefix(k, it.key) {
			r.lost[answers][string(it.key)] = true
		}
	})
}

// placeholder is a workspace whose record was lost: what belongs to it would
// belong to nobody without it.
func placeholder(ws ulid, now time.Time) schedctl.Workspace {
	return schedctl.Workspace{
		ID: ws.ID(schedctl.WorkspacePrefix), Name: "salvaged", Timezone: "UTC", Plan: "self-hosted", CreatedAt: schedctl.Millis(now),
	}
}

// report tells what was found.
func (r *rescue) report(size int64) SalvageReport {
	out := SalvageReport{Size: size, Unreadable: len(r.found.missing), Strays: r.taken, Behind: r.found.guessed}
	if v := r.found.version(); v <= uint64(len(migrations)) {
		out.Version = int(v)
	}
	for _, k := range kinds {
		out.Records = append(out.Records, SalvagedRecords{Kind: k.bucket.String(), Recovered: r.counts[k.bucket], Lost: len(r.lost[k.bucket])})
	}
	for post, ws := range r.doubtful {
		out.Doubtful = append(out.Doubtful, storage.Route{
			WorkspaceID: ws.ID(schedctl.WorkspacePrefix), PostID: post.ID(schedctl.PostPrefix),
		})
	}
	return out
}
