package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// plainRole is the argument that makes this program the plain server: a ServeMux
// handler that reads a request, commits the next post of a recording to a bare bbolt
// database, grouped with other waiting posts, and responds with as many bytes as the
// daemon. This is the least that any durable HTTP server has to do for these bytes.
const plainRole = "plain"

// plainResponseSize is roughly the size of the daemon's response to a create.
const plainResponseSize = 900

// runPlain serves until its standard input is closed. Its arguments are the recorded
// database, the number of posts in it, and the directory of its own database.
func runPlain(recorded, posts, dir string) (err error) {
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
	g := newGrouper(db, 1024)
	defer func() { err = errors.Join(err, g.close(), db.Close()) }()
	answer := make([]byte, plainResponseSize)
	var next atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/posts", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		i := int(next.Add(1)) - 1
		if err := g.commit(rec[i%len(rec)]); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		w.Write(answer)
	})
	return child.Serve(mux)
}

// plain measures the plain server with the recorded database of a daemon.
func (b *bench) plain(recorded string, connections, posts int) measure {
	return func(ctx context.Context) (s sample, err error) {
		dir, err := b.newDir()
		if err != nil {
			return nil, err
		}
		r, err := child.StartRole(plainRole, recorded, strconv.Itoa(posts), dir)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.Stop()) }()
		return createPosts(ctx, server{r.Address, "none"}, "acct_00000000000000000000000000", connections, posts)
	}
}

// cachedRole is the argument that makes this program a server of recorded responses: a
// ServeMux handler that writes for each path, with its query, the exact bytes of the
// daemon's response.
const cachedRole = "answers"

// runCached serves until its standard input is closed. Its argument is a JSON file with
// the responses by path.
func runCached(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var answers map[string][]byte
	if err := json.Unmarshal(data, &answers); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/", func(w http.ResponseWriter, r *http.Request) {
		answer, found := answers[strings.TrimPrefix(r.RequestURI, "/api/v1")]
		if !found {
			answer, found = answers[strings.TrimPrefix(r.URL.Path, "/api/v1")] // for any query
		}
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.Write(answer)
	})
	return child.Serve(mux)
}

// startCached starts a server of recorded responses.
func (b *bench) startCached(answers map[string][]byte) (*child.Role, error) {
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "answers.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	return child.StartRole(cachedRole, path)
}

// createPosts creates posts through an API and returns the sample.
func createPosts(ctx context.Context, s server, account string, connections, posts int) (sample, error) {
	requests := make([][]byte, posts)
	key := time.Now().UnixNano()
	for i := range requests {
		requests[i] = s.post("/posts", fmt.Sprintf("bench-%d-%d", key, i), createBody(account, time.Now()))
	}
	started := time.Now()
	took, err := runLoad(ctx, s, load{connections: connections, count: posts, request: func(i int) []byte { return requests[i] }})
	return writeSample(started, took), err
}

// createBody returns the body of a measured create.
func createBody(account string, now time.Time) string {
	return fmt.Sprintf(`{"content":"A post of usual length, with a link: https://example.org/articles/42","social_account_ids":[%q],"publish_at":%q}`,
		account, now.Add(24*time.Hour).UTC().Format(time.RFC3339))
}
