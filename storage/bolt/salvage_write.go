package bolt

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl/storage"
)

// salvager writes the records of a damaged file into a new database.
type salvager struct {
	source   *damagedFile
	store    *Store
	progress func()

	batch  []row
	lost   [bucketCount]map[string]bool // keys of records that are known to be lost
	counts [bucketCount]int             // records in the new file
}

// salvageBatch is how many records are written in one transaction.
const salvageBatch = 1000

func (s *salvager) run(ctx context.Context) error {
	for i := range s.lost {
		s.lost[i] = map[string]bool{}
	}
	for i := range kinds {
		if err := s.kind(ctx, i); err != nil {
			return fmt.Errorf("write %s: %w", kinds[i].bucket, err)
		}
	}
	if err := s.store.db.Update(copyAltTexts); err != nil { // the damaged file may be an older one
		return fmt.Errorf("copy alt texts: %w", err)
	}
	if err := s.finish(ctx); err != nil {
		return err
	}
	for _, n := range s.counts {
		if n > 0 {
			return nil
		}
	}
	return foreign(errNoRecords.Error())
}

// kind writes all records of kinds[i].
func (s *salvager) kind(ctx context.Context, i int) (err error) {
	k := &kinds[i]
	take := func(it item, stray bool) {
		if err == nil {
			err = s.take(ctx, k, row{key: it.key, record: it.value, stray: stray})
		}
	}
	s.source.walk(k.bucket, func(it item) {
		if k.reads(it) {
			take(it, false)
		} else {
			s.lost[k.bucket][string(it.key)] = true
		}
	})
	for _, stray := range s.source.strays {
		if stray.kinds&(1<<i) == 0 {
			continue
		}
		p, _ := s.source.page(stray.page) // empty if it cannot be read any longer
		for _, it := range p.rows() {
			if k.reads(it) {
				take(it, true)
			}
		}
	}
	if err != nil {
		return err
	}
	return s.flush(ctx, k)
}

// take adds a record to the next batch.
func (s *salvager) take(ctx context.Context, k *kind, row row) error {
	if s.batch = append(s.batch, row); len(s.batch) < salvageBatch {
		return nil
	}
	return s.flush(ctx, k)
}

// flush writes the batch. A record that the new database refuses is lost without
// the others.
func (s *salvager) flush(ctx context.Context, k *kind) error {
	batch := s.batch
	s.batch = s.batch[:0]
	refused, err := s.put(ctx, k, batch)
	if refused == nil {
		return err
	}
	for i := range batch {
		refused, err := s.put(ctx, k, batch[i:i+1])
		if err != nil && refused == nil {
			return err
		}
		if refused != nil {
			s.lost[k.bucket][string(batch[i].key)] = true
		}
	}
	return nil
}

// put writes records in one transaction. refused is the error of a record, and
// err that of the transaction.
func (s *salvager) put(ctx context.Context, k *kind, batch []row) (refused, err error) {
	if len(batch) == 0 {
		return nil, ctx.Err()
	}
	var no error
	err = s.store.Update(ctx, func(opened storage.Tx) error {
		no = nil
		for _, row := range batch {
			if no = k.put(opened.(*tx), row); no != nil {
				return no
			}
		}
		return nil
	})
	if err == nil && s.progress != nil {
		for range batch {
			s.progress()
		}
	}
	return no, err
}

// report returns the result of the work.
func (s *salvager) report() SalvageReport {
	out := SalvageReport{
		Size: s.source.length, Unreadable: len(s.source.unreadable), Strays: len(s.source.strays), Behind: s.source.behind,
	}
	if v := s.source.version(); v <= uint64(len(migrations)) {
		out.Version = int(v)
	}
	for _, k := range kinds {
		out.Records = append(out.Records, SalvagedRecords{Kind: k.bucket.String(), Recovered: s.counts[k.bucket], Lost: len(s.lost[k.bucket])})
	}
	return out
}
