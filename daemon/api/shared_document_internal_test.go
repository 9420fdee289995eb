package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
)

// builder counts builds.
type builder struct {
	builds int
	hold   chan struct{} // if not nil, a build ends when it is closed
	doc    document
	err    error
}

func (b *builder) build(ctx context.Context) (document, error) {
	b.builds++
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
			return document{}, ctx.Err()
		}
	}
	return b.doc, b.err
}

// TestDocumentsAreSharedUntilACommit guards that equal requests cost one build, and that
// no document is older than its request.
func TestDocumentsAreSharedUntilACommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, b := newDocuments(false), &builder{hold: make(chan struct{})}
		for range 20 {
			go d.get(t.Context(), "a", b.build)
		}
		synctest.Wait()
		d.committed()
		go d.get(t.Context(), "a", b.build)
		synctest.Wait()
		if b.builds != 1 {
			t.Errorf("%d builds at once", b.builds)
		}
		close(b.hold)
		synctest.Wait()
		if b.builds != 2 {
			t.Errorf("%d builds after a commit, want 2", b.builds)
		}
		get := func() { d.get(t.Context(), "a", b.build) }
		if get(); b.builds != 2 {
			t.Error("an unchanged document was built again")
		}
		time.Sleep(documentLife)
		if get(); b.builds != 3 {
			t.Error("a document does not expire")
		}
		b.doc.keep = documentLife
		d.committed()
		get()
		d.committed()
		if get(); b.builds != 4 {
			t.Errorf("%d builds, want 4: an expensive document is kept", b.builds)
		}
	})
}

// TestBuildsOfClientsThatLeave guards that another client builds the document then.
func TestBuildsOfClientsThatLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, b := newDocuments(false), &builder{hold: make(chan struct{})}
		ctx, leave := context.WithCancel(t.Context())
		go d.get(ctx, "a", b.build)
		synctest.Wait()
		done := make(chan error)
		go func() {
			_, err := d.get(t.Context(), "a", b.build)
			done <- err
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		close(b.hold)
		if err := <-done; err != nil || b.builds != 2 {
			t.Errorf("%d builds, %v", b.builds, err)
		}
		b.err = errors.New("broken")
		d.committed()
		for range 2 {
			d.get(t.Context(), "a", b.build)
		}
		if b.builds != 4 || len(d.entries) != 0 {
			t.Errorf("%d builds, %d entries: failures are not kept", b.builds, len(d.entries))
		}
	})
}

// TestDocumentsHaveABound guards the memory of documents.
func TestDocumentsHaveABound(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1 << 20, maxDocuments / 3, maxDocuments} {
		d, b := newDocuments(false), &builder{doc: document{body: make([]byte, size)}}
		for n := range 2*maxDocuments/(size+documentOverhead) + 2 {
			d.get(t.Context(), fmt.Sprint(n), b.build)
			if d.size > maxDocuments {
				t.Fatalf("documents of %d bytes: %d bytes in memory", size, d.size)
			}
		}
		held := 0
		for _, e := range d.entries {
			held += e.size
		}
		if held != d.size {
			t.Errorf("documents of %d bytes: counted %d bytes, held %d", size, d.size, held)
		}
	}
}

// TestVisitors guards the limits of requests at work.
func TestVisitors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		remote  string
		most    int
		refusal schedctl.Code
	}{
		{"203.0.113.7:1", maxVisitsPerAddress, schedctl.RateLimited},
		{"[2001:db8::1]:1", maxVisitsPerAddress, schedctl.RateLimited},
		{"127.0.0.1:1", maxVisits, schedctl.Unavailable}, // a reverse proxy
		{"10.1.2.3:1", maxVisits, schedctl.Unavailable},
		{"@", maxVisits, schedctl.Unavailable},
	} {
		var v visitors
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.remote
		var leaves []func()
		for len(leaves) <= maxVisits {
			leave, err := v.enter(httptest.NewRecorder(), r)
			if err != nil {
				if schedctl.CodeOf(err) != test.refusal {
					t.Errorf("%s: %v", test.remote, err)
				}
				break
			}
			leaves = append(leaves, leave)
		}
		if len(leaves) != test.most {
			t.Errorf("%s: %d requests at work, want %d", test.remote, len(leaves), test.most)
		}
		for _, leave := range leaves {
			leave()
		}
		if v.all != 0 || len(v.byAddress) != 0 {
			t.Errorf("%s: %d requests left", test.remote, v.all)
		}
	}
}
