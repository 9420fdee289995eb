package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
)

// plainRole is the argument that makes this program the plain server: a
// ServeMux handler that reads a request, commits the next post of a recording
// to a bare bbolt database, grouped with whatever else waits, and answers as
// many bytes as the daemon does. It is what any durable HTTP server of these
// bytes has to do.
const plainRole = "plain"

// runPlain serves until its standard input ends. Its arguments are the recorded
// database, the number of posts in it, and the directory of its own database.
func runPlain(recorded, posts, dir string) error {
	n, err := strconv.Atoi(posts)
	if err != nil {
		return err
	}
	rec, err := record(recorded, n)
	if err != nil {
		return err
	}
	db, err := openBare(filepath.Join(dir, "bare.db"), rec)
	if err != nil {
		return err
	}
	defer db.Close()
	g := &grouper{db: db, queue: make(chan waiting, 1024)}
	done := make(chan error, 1)
	go func() { done <- g.run() }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go http.Serve(l, plainHandler(g, rec))
	io.Copy(io.Discard, os.Stdin)
	l.Close()
	close(g.queue)
	return <-done
}

func plainHandler(g *grouper, rec recording) http.Handler {
	answer := make([]byte, plainAnswer)
	var next atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/posts", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		i := int(next.Add(1)) - 1
		committed := make(chan error, 1)
		g.queue <- waiting{rec[i%len(rec)], committed}
		if err := <-committed; err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		w.Write(answer)
	})
	return mux
}

// plainAnswer is about the length of the daemon's answer to a create.
const plainAnswer = 900

// plain measures the plain server with a recording, and returns posts per second.
func (b *bench) plain(ctx context.Context, recorded string, connections, posts int) (rate float64, err error) {
	dir, err := b.fresh()
	if err != nil {
		return 0, err
	}
	c, err := startChild(plainRole, recorded, strconv.Itoa(posts), dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	d := &daemon{address: c.address, key: "none"}
	requests := make([][]byte, posts)
	for i := range requests {
		requests[i] = d.post(fmt.Sprintf("bench-%d", i), createBody("acct_00000000000000000000000000", time.Now()))
	}
	began := time.Now()
	_, err = load(ctx, c.address, connections, posts, func(i int) []byte { return requests[i] })
	return float64(posts) / time.Since(began).Seconds(), err
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
