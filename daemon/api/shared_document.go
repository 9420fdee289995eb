package api

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"
)

const (
	// documentLife is how long a document is served from memory, at most: what it shows may
	// depend on the time.
	documentLife = time.Minute

	// sharedDocumentLife is documentLife if other daemons use the store. Their commits are
	// usually announced within milliseconds, but the connection for that can be lost.
	sharedDocumentLife = 5 * time.Second

	maxDocuments      = 16 << 20 // bytes of all documents in memory
	maxDocumentBuilds = 4        // at a time
	documentOverhead  = 1 << 10  // bytes of a document in addition to its body
)

// document is a page for readers without an API key: a feed, an entry of one, or a
// calendar.
type document struct {
	header   http.Header // with the ETag
	body     []byte
	modified time.Time // zero if it is not known

	// keep is how long it may be served although something has changed. It is for
	// documents that are expensive to build.
	keep time.Duration
}

// serve writes the document, or responds to a conditional or range request.
func (d *document) serve(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), d.header)
	http.ServeContent(w, r, "", d.modified, bytes.NewReader(d.body))
}

// documents builds documents, one at a time for each key, and keeps them until the next
// commit. So equal requests share one result, and a request with the ETag of the current
// document costs nothing. It may be used from any goroutine.
type documents struct {
	life   time.Duration
	builds chan struct{} // one token for each build

	mu         sync.Mutex // mu guards the fields below
	generation uint64     // changes with every commit
	entries    map[string]*documentEntry
	size       int // of the documents that are built, in bytes
}

// documentEntry is a document, or its build. The fields except done and generation are
// valid after done is closed.
type documentEntry struct {
	done       chan struct{}
	generation uint64 // when the build began

	doc   document
	err   error
	built time.Time
	size  int // in bytes
}

func newDocuments(shared bool) *documents {
	d := &documents{life: documentLife, builds: make(chan struct{}, maxDocumentBuilds), entries: map[string]*documentEntry{}}
	if shared {
		d.life = sharedDocumentLife
	}
	return d
}

// committed must be called after every commit.
func (d *documents) committed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.generation++
}

// get returns the document with a key, which build returns if there is none. A document
// is never older than the request, except for its keep, and for commits of other daemons.
func (d *documents) get(ctx context.Context, key string, build func(context.Context) (document, error)) (document, error) {
	for {
		e, own, current := d.find(key)
		if own {
			d.build(ctx, key, e, build)
			return e.doc, e.err
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return document{}, ctx.Err()
		}
		// The client of a build may leave. Then another one builds.
		if canceled := errors.Is(e.err, context.Canceled) || errors.Is(e.err, errNotBuilt); current && !canceled {
			return e.doc, e.err
		}
		if err := ctx.Err(); err != nil {
			return document{}, err
		}
	}
}

// find returns the entry of a key. The caller must build it if own is true. current means
// that the document is not older than the request.
func (d *documents) find(key string) (e *documentEntry, own, current bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e = d.entries[key]
	if e != nil && !e.isDone() {
		return e, false, e.generation == d.generation
	}
	if e != nil {
		age := time.Since(e.built)
		if age < d.life && e.generation == d.generation || age < min(d.life, e.doc.keep) {
			return e, false, true
		}
		d.drop(key, e)
	}
	e = &documentEntry{done: make(chan struct{}), generation: d.generation}
	d.entries[key] = e
	return e, true, true
}

func (e *documentEntry) isDone() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

var errNotBuilt = errors.New("the document was not built")

// build builds the document of an entry. Failures are not kept.
func (d *documents) build(ctx context.Context, key string, e *documentEntry, build func(context.Context) (document, error)) {
	e.err = errNotBuilt // if build panics
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		e.built, e.size = time.Now(), len(key)+cap(e.doc.body)+documentOverhead
		if e.err != nil || e.size > maxDocuments/2 {
			delete(d.entries, key)
		} else if d.size += e.size; d.size > maxDocuments {
			d.keepOnly(key)
		}
		close(e.done)
	}()
	select {
	case d.builds <- struct{}{}:
		defer func() { <-d.builds }()
		e.doc, e.err = build(ctx)
	case <-ctx.Done():
		e.err = ctx.Err()
	}
}

// keepOnly drops all documents that are built, except one.
func (d *documents) keepOnly(key string) {
	for k, e := range d.entries {
		if k != key && e.isDone() {
			d.drop(k, e)
		}
	}
}

func (d *documents) drop(key string, e *documentEntry) {
	d.size -= e.size
	delete(d.entries, key)
}
