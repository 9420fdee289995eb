package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The figures of a sample of writes.
const (
	rateFigure   = iota // posts a second
	medianFigure        // of what one takes, in µs
)

// writeSample returns the sample of a number of writes.
func writeSample(started time.Time, took []time.Duration) sample {
	return sample{rateFigure: perSecond(len(took), time.Since(started)), medianFigure: micros(quantile(took, 0.5))}
}

// timeCall runs fn and appends its duration.
func timeCall(took *[]time.Duration, fn func() error) error {
	started := time.Now()
	err := fn()
	*took = append(*took, time.Since(started))
	return err
}

// bareSingle writes a recording with one Update per post, one after another.
func (b *bench) bareSingle(rec recording) measure {
	return b.bare(rec, func(db *bolt.DB) (took []time.Duration, err error) {
		for _, puts := range rec {
			if err := timeCall(&took, func() error {
				return db.Update(func(tx *bolt.Tx) error { return apply(tx, puts) })
			}); err != nil {
				return nil, err
			}
		}
		return took, nil
	})
}

// bareGrouped writes a recording from several goroutines that each wait for their
// commit; a commit takes all waiting posts.
func (b *bench) bareGrouped(rec recording, writers int) measure {
	return b.bare(rec, func(db *bolt.DB) ([]time.Duration, error) {
		g := newGrouper(db, writers)
		took := make([]time.Duration, len(rec))
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := w; i < len(rec); i += writers {
					started := time.Now()
					g.commit(rec[i])
					took[i] = time.Since(started)
				}
			})
		}
		wg.Wait()
		return took, g.close()
	})
}

func (b *bench) bare(rec recording, write func(*bolt.DB) ([]time.Duration, error)) measure {
	return func(context.Context) (sample, error) {
		dir, err := b.newDir()
		if err != nil {
			return nil, err
		}
		db, err := openBare(filepath.Join(dir, "bare.db"), rec)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		started := time.Now()
		took, err := write(db)
		return writeSample(started, took), err
	}
}

// openBare opens a bare database with the buckets of a recording.
func openBare(path string, rec recording) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	return db, db.Update(func(tx *bolt.Tx) error {
		for _, p := range rec[0] {
			if _, err := tx.CreateBucketIfNotExists(p.bucket); err != nil {
				return err
			}
		}
		return nil
	})
}

// bareSync appends as many bytes as a recording has to a file, with an fdatasync after
// each post: the cheapest durable write.
func (b *bench) bareSync(rec recording) measure {
	return func(context.Context) (sample, error) {
		dir, err := b.newDir()
		if err != nil {
			return nil, err
		}
		f, err := os.Create(filepath.Join(dir, "bare"))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		block := make([]byte, rec.size())
		var took []time.Duration
		started := time.Now()
		for range rec {
			if err := timeCall(&took, func() error {
				if _, err := f.Write(block); err != nil {
					return err
				}
				return syncData(f)
			}); err != nil {
				return nil, err
			}
		}
		return writeSample(started, took), nil
	}
}
