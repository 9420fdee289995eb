package linkcard_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// blockingSource is a picture whose bytes come only after the channel is closed.
type blockingSource struct {
	io.ReaderAt
	once    sync.Once
	reached chan struct{}
	release chan struct{}
}

func (s *blockingSource) ReadAt(p []byte, off int64) (int, error) {
	s.once.Do(func() { close(s.reached) })
	<-s.release
	return s.ReaderAt.ReadAt(p, off)
}

// A card goes out without its picture if the time ends while the picture waits for its turn.
// It waits for other pages of its workspace only, and not for files of posts.
func TestPictureThatGetsNoTurn(t *testing.T) {
	t.Parallel()
	large := picture(t, 1700, false) // a little larger than a card shows
	asked := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/picture.png" {
			w.Write(large)
			asked <- struct{}{}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>T</title><meta property="og:image" content="/picture.png">`)
	}))
	defer server.Close()
	facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(large), int64(len(large)), mediafile.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		lane  variant.Lane
		thumb bool
	}{{variant.Publishing, true}, {variant.LinkCards, false}} {
		fitter := variant.NewFitter(variant.DefaultMemory)
		f := linkcard.NewPatient(outbound.Client(outbound.AllowPrivate), fitter)
		busy := &blockingSource{ReaderAt: bytes.NewReader(large), reached: make(chan struct{}), release: make(chan struct{})}
		header := &headerFirst{busy, bytes.NewReader(large[:64])}
		done := make(chan struct{})
		go func() {
			defer close(done)
			fitter.Fit(t.Context(), variant.Turn{Lane: test.lane, Workspace: "ws_1"}, io.Discard, header, int64(len(large)), facts, variant.Target{MaxWidth: 100})
		}()
		<-busy.reached
		ctx, cancel := context.WithCancel(t.Context())
		wait := make(chan struct{})
		go func() {
			defer close(wait)
			if <-asked; !test.thumb {
				cancel()
			}
		}()
		card, err := f.Fetch(ctx, "ws_1", server.URL)
		if err != nil || card.Title != "T" || (card.Thumb != nil) != test.thumb {
			t.Errorf("while lane %d is busy: got %+v, %v", test.lane, card, err)
		}
		cancel()
		close(busy.release)
		<-done
		<-wait
	}
}

// headerFirst serves the header of a picture, from which its memory is computed, at once.
type headerFirst struct {
	busy   *blockingSource
	header *bytes.Reader
}

func (h *headerFirst) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 && len(p) <= 64 {
		return h.header.ReadAt(p, off)
	}
	return h.busy.ReadAt(p, off)
}
