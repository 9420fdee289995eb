package main

import (
	"bytes"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// put is one write of a baseline, with the same bytes that the daemon wrote.
type put struct{ bucket, key, value []byte }

// recording holds what a daemon wrote for each of a number of posts.
type recording [][]put

// record reads a daemon's database and splits its content by post: a bucket with k
// entries for each post contributes k puts to each, in key order.
func record(path string, posts int) (recording, error) {
	db, err := openRecorded(path)
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
					rec[post] = append(rec[post], put{bytes.Clone(name), bytes.Clone(k), append([]byte{}, v...)})
				}
				i++
				return nil
			})
		})
	})
	if err == nil && len(rec[0]) == 0 {
		err = fmt.Errorf("%s has no entries for each of %d posts", path, posts)
	}
	return rec, err
}

func openRecorded(path string) (*bolt.DB, error) {
	return bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
}

// countPosts counts the posts in a database without a running daemon.
func countPosts(path string) (n int, err error) {
	db, err := openRecorded(path)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return n, db.View(func(tx *bolt.Tx) error {
		posts := tx.Bucket([]byte("posts"))
		if posts == nil {
			return fmt.Errorf("%s has no posts", path)
		}
		n = posts.Stats().KeyN
		return nil
	})
}

// size returns the bytes that one post writes, keys and values.
func (r recording) size() (n int) {
	for _, p := range r[0] {
		n += len(p.key) + len(p.value)
	}
	return n
}

// apply writes the puts of one post.
func apply(tx *bolt.Tx, puts []put) error {
	for _, p := range puts {
		if err := tx.Bucket(p.bucket).Put(p.key, p.value); err != nil {
			return err
		}
	}
	return nil
}
