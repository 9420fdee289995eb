package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage/blob"
)

// memoryBlobs is a blob store in memory that counts how many readers read anything.
type memoryBlobs struct {
	blob.Store // nil: only Open is called
	files      map[blob.Key][]byte
	readers    atomic.Int64
	hold       chan struct{} // the first read of each reader waits for it; may be nil
}

func (s *memoryBlobs) add(workspaceID, mimeType string, data []byte) schedctl.MediaAsset {
	key := blob.Key(sha256.Sum256(data))
	if s.files == nil {
		s.files = map[blob.Key][]byte{}
	}
	s.files[key] = data
	return schedctl.MediaAsset{ID: "med_" + key.String()[:8], WorkspaceID: workspaceID, MIMEType: mimeType, SHA256: key, Size: int64(len(data)), Status: schedctl.MediaReady}
}

func (s *memoryBlobs) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	return &memoryReader{Reader: bytes.NewReader(s.files[key]), ctx: ctx, store: s, info: blob.Info{Key: key, Size: int64(len(s.files[key]))}}, nil
}

type memoryReader struct {
	*bytes.Reader
	ctx   context.Context
	store *memoryBlobs
	info  blob.Info
	begun sync.Once
}

func (r *memoryReader) Info() blob.Info { return r.info }
func (r *memoryReader) Close() error    { return nil }

func (r *memoryReader) ReadAt(b []byte, offset int64) (int, error) {
	r.begun.Do(func() {
		r.store.readers.Add(1)
		if r.store.hold != nil {
			select {
			case <-r.store.hold:
			case <-r.ctx.Done():
			}
		}
	})
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.ReadAt(b, offset)
}

// metadata returns an MP4 video with n pieces of metadata; no two numbers give the same.
func metadata(n int) []byte {
	return append(mediatest.MP4(2000), strings.Repeat("\x00\x00\x00\x09free.", n)...)
}

func open(ctx context.Context, s *media.Service, a schedctl.MediaAsset) error {
	p, err := s.OpenPublished(ctx, a)
	if err == nil {
		err = p.Close()
	}
	return err
}

// A file is walked once, however often it is opened, until other views need the memory.
func TestViewsAreKept(t *testing.T) {
	t.Parallel()
	blobs := &memoryBlobs{}
	service := media.New(media.Config{Blobs: blobs})
	first := blobs.add("ws_1", mediafile.MP4, metadata(29_000))
	broken := blobs.add("ws_1", mediafile.MP4, metadata(31_000))
	want := func(readers int64, a schedctl.MediaAsset, code schedctl.Code) {
		t.Helper()
		if err := open(t.Context(), service, a); schedctl.CodeOf(err) != code {
			t.Errorf("got %v, want the code %q", err, code)
		}
		if got := blobs.readers.Load(); got != readers {
			t.Errorf("%d readers have read, want %d", got, readers)
		}
	}
	want(1, first, "")
	want(1, first, "")
	want(2, broken, schedctl.MediaInvalid)
	want(2, broken, schedctl.MediaInvalid)
	for i := range 8 {
		want(int64(3+i), blobs.add("ws_1", mediafile.MP4, metadata(29_001+i)), "")
	}
	want(10, blobs.add("ws_1", mediafile.MP4, metadata(29_008)), "")
	want(11, first, "")
}

// Requests for a file wait for one walk. A client that leaves stops waiting, and another
// one starts the walk again. Other workspaces do not wait.
func TestOneWalkAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		blobs := &memoryBlobs{hold: make(chan struct{})}
		service := media.New(media.Config{Blobs: blobs})
		a, b := blobs.add("ws_1", mediafile.MP4, metadata(1)), blobs.add("ws_1", mediafile.MP4, metadata(2))
		other := blobs.add("ws_2", mediafile.MP4, metadata(3))
		leaving, leave := context.WithCancel(t.Context())
		results := make(chan error, 20)
		start := func(ctx context.Context, a schedctl.MediaAsset) {
			go func() { results <- open(ctx, service, a) }()
			synctest.Wait()
		}
		start(leaving, a) // makes the view
		start(leaving, a) // waits for it
		for range 5 {
			start(t.Context(), a)
			start(t.Context(), b)
		}
		if n := blobs.readers.Load(); n != 1 {
			t.Errorf("%d requests of a workspace walk at a time", n)
		}
		start(t.Context(), other)
		if n := blobs.readers.Load(); n != 2 {
			t.Errorf("another workspace waits: %d readers", n)
		}
		leave()
		synctest.Wait()
		for range 2 {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("a client that has left: %v", err)
			}
		}
		close(blobs.hold)
		for range 11 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if n := blobs.readers.Load(); n != 4 { // one that was ended, and one for each file
			t.Errorf("%d walks for 3 files", n)
		}
	})
}
