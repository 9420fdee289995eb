package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// put is one write of the baseline: the very bytes that the daemon wrote.
type put struct{ bucket, key, value []byte }

// recording is what a daemon wrote for each of a number of posts.
type recording [][]put

// record reads a daemon's database and splits its content by post: a bucket
// with k entries for each post gives k puts to each, in the order of its keys.
func record(path string, posts int) (recording, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rec := make(recording, posts)
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			each := b.Stats().KeyN / posts
			if each == 0 {
				return nil
			}
			i := 0
			return b.ForEach(func(k, v []byte) error {
				if post := i / each; post < posts {
					rec[post] = append(rec[post], put{clone(name), clone(k), clone(v)})
				}
				i++
				return nil
			})
		})
	})
	if err == nil && len(rec[0]) == 0 {
		err = fmt.Errorf("%s holds nothing for each of %d posts", path, posts)
	}
	return rec, err
}

func clone(b []byte) []byte { return append([]byte{}, b...) }

// bytes returns how much one post writes, keys and values.
func (r recording) bytes() (n int) {
	for _, p := range r[0] {
		n += len(p.key) + len(p.value)
	}
	return n
}

// bareSingle writes a recording with one Update a post, one after another, and
// returns the posts written per second.
func (b *bench) bareSingle(rec recording) (float64, error) {
	return b.bare(rec, func(db *bolt.DB) error {
		for _, puts := range rec {
			if err := db.Update(func(tx *bolt.Tx) error { return apply(tx, puts) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// bareGrouped writes a recording from a number of goroutines that each wait for
// their commit; a commit takes all that wait. Posts per second.
func (b *bench) bareGrouped(rec recording, writers int) (float64, error) {
	return b.bare(rec, func(db *bolt.DB) error {
		g := &grouper{db: db, queue: make(chan waiting, writers)}
		done := make(chan error, 1)
		go func() { done <- g.run() }()
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				committed := make(chan error, 1)
				for i := w; i < len(rec); i += writers {
					g.queue <- waiting{rec[i], committed}
					<-committed
				}
			})
		}
		wg.Wait()
		close(g.queue)
		return <-done
	})
}

func (b *bench) bare(rec recording, write func(*bolt.DB) error) (float64, error) {
	dir, err := b.fresh()
	if err != nil {
		return 0, err
	}
	db, err := openBare(filepath.Join(dir, "bare.db"), rec)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	began := time.Now()
	if err := write(db); err != nil {
		return 0, err
	}
	return float64(len(rec)) / time.Since(began).Seconds(), nil
}

func apply(tx *bolt.Tx, puts []put) error {
	for _, p := range puts {
		if err := tx.Bucket(p.bucket).Put(p.key, p.value); err != nil {
			return err
		}
	}
	return nil
}

// waiting is one writer's post and where it is told of the commit.
type waiting struct {
	puts      []put
	committed chan<- error
}

// grouper commits what waits, together.
type grouper struct {
	db    *bolt.DB
	queue chan waiting
}

func (g *grouper) run() error {
	for first := range g.queue {
		group := []waiting{first}
		for len(g.queue) > 0 {
			if w, open := <-g.queue; open {
				group = append(group, w)
			}
		}
		err := g.db.Update(func(tx *bolt.Tx) error {
			for _, w := range group {
				if err := apply(tx, w.puts); err != nil {
					return err
				}
			}
			return nil
		})
		for _, w := range group {
			w.committed <- err
		}
		if err != nil {
			return err
		}
	}
	return nil
}
