package s3_test

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl/storage/blob"
)

// A whole object takes few requests, and so do many small reads with gaps between them. A
// short range does not request the rest of a large object.
func TestRequestsForRanges(t *testing.T) {
	t.Parallel()
	s := openEmpty(t).(tested)
	data := bytes.Repeat([]byte("0123456789abcdef"), 2<<20) // 32 MiB
	spool, err := s.Spool()
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	if _, err := spool.Write(data); err != nil {
		t.Fatal(err)
	}
	info, err := s.Put(t.Context(), spool)
	if err != nil {
		t.Fatal(err)
	}
	var gets atomic.Int32
	var lastRange atomic.Value
	store := s.through(t, func(r *http.Request) {
		if r.Method == http.MethodGet {
			gets.Add(1)
			lastRange.Store(r.Header.Get("Range"))
		}
	})
	for name, test := range map[string]struct {
		read func(blob.Reader) error
		most int32
	}{
		"whole": {func(r blob.Reader) error {
			got, err := io.ReadAll(r)
			if !bytes.Equal(got, data) {
				t.Errorf("read %d other bytes", len(got))
			}
			return err
		}, 4},
		"2,000 small parts": {func(r blob.Reader) error { return readParts(t, r, data, 16<<10) }, 4},
		"30 large parts":    {func(r blob.Reader) error { return readParts(t, r, data, 1<<20) }, 8},
		"one byte": {func(r blob.Reader) error {
			_, err := io.ReadFull(io.NewSectionReader(readSeekerAt{r}, 5<<20, 1), make([]byte, 1))
			if got := lastRange.Load(); got != "bytes=5242880-6291455" {
				t.Errorf("requested %s", got)
			}
			return err
		}, 1},
	} {
		r, err := store.Open(t.Context(), info.Key)
		if err != nil {
			t.Fatal(err)
		}
		gets.Store(0)
		if err := test.read(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := gets.Load(); n > test.most {
			t.Errorf("%s: %d requests, want at most %d", name, n, test.most)
		}
		r.Close()
	}
}

// readParts reads 100 bytes at each multiple of a step.
func readParts(t *testing.T, r io.ReadSeeker, data []byte, step int) error {
	b := make([]byte, 100)
	for off := 0; off+len(b) <= len(data); off += step {
		if _, err := r.Seek(int64(off), io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		if !bytes.Equal(b, data[off:off+len(b)]) {
			t.Errorf("other bytes at %d", off)
		}
	}
	return nil
}

type readSeekerAt struct{ io.ReadSeeker }

func (r readSeekerAt) ReadAt(b []byte, offset int64) (int, error) {
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(r.ReadSeeker, b)
}
