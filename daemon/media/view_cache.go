package media

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/storage/blob"
)

const (
	// viewMemory is how many bytes of memory the views of a daemon take together. A view
	// of an ordinary file takes less than a kilobyte, the largest one a megabyte.
	viewMemory = 8 << 20

	// viewBuilds is how many views are made at a time.
	viewBuilds = 4
)

// viewKey identifies the view of a file.
type viewKey struct {
	sha256   blob.Key
	mimeType string
	size     int64
}

// viewCache keeps the views that were used last, so that a file is walked once and not
// for each range of it. It may be used by any goroutine.
type viewCache struct {
	builds chan struct{} // holds one value for each view that is made

	mu     sync.Mutex // guards what follows
	used   *list.List // of *cachedView, the one used last in front
	views  map[viewKey]*list.Element
	memory int                      // of all views
	turns  map[string]chan struct{} // workspaces that make a view; closed at its end
}

type cachedView struct {
	key  viewKey
	view *mediafile.View
	err  error // of a file with too many parts
}

func newViewCache() *viewCache {
	return &viewCache{builds: make(chan struct{}, viewBuilds), used: list.New(), views: map[viewKey]*list.Element{}, turns: map[string]chan struct{}{}}
}

// get returns a view of the cache, or the one that build makes. A workspace makes one view
// at a time, so that it takes no more than its part of the builds, and so that requests
// for the same file wait for one build. A caller whose ctx ends stops waiting.
func (c *viewCache) get(ctx context.Context, workspaceID string, key viewKey, build func() (*mediafile.View, error)) (*mediafile.View, error) {
	for {
		found, turn, done := c.findOrBegin(workspaceID, key)
		switch {
		case found != nil:
			return found.view, found.err
		case done != nil:
			defer done()
			select {
			case c.builds <- struct{}{}:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			defer func() { <-c.builds }()
			view, err := build()
			if err == nil || errors.Is(err, mediafile.ErrTooManyParts) {
				c.put(cachedView{key, view, err})
			}
			return view, err
		}
		select {
		case <-turn:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// findOrBegin returns a view of the cache; or else the end of the workspace's turn, which
// the caller has now; or else the turn to wait for.
func (c *viewCache) findOrBegin(workspaceID string, key viewKey) (found *cachedView, turn chan struct{}, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.views[key]; e != nil {
		c.used.MoveToFront(e)
		return e.Value.(*cachedView), nil, nil
	}
	if turn = c.turns[workspaceID]; turn != nil {
		return nil, turn, nil
	}
	begun := make(chan struct{})
	c.turns[workspaceID] = begun
	return nil, nil, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.turns, workspaceID)
		close(begun)
	}
}

// put adds a view, and removes those that were used longest ago until the rest fits.
func (c *viewCache) put(v cachedView) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.views[v.key] != nil {
		return // another workspace has the same file
	}
	c.views[v.key] = c.used.PushFront(&v)
	c.memory += v.memory()
	for c.memory > viewMemory {
		last := c.used.Remove(c.used.Back()).(*cachedView)
		delete(c.views, last.key)
		c.memory -= last.memory()
	}
}

// memory returns about how many bytes an entry takes.
func (v *cachedView) memory() int {
	const entry = 512 // with its key and its error
	if v.view == nil {
		return entry
	}
	return entry + v.view.Memory()
}
