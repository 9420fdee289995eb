package archive_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
)

// TestLargeBlobsUseLittleMemory guards that no blob is read into memory. It is not
// parallel: it counts the allocations of the process.
func TestLargeBlobsUseLittleMemory(t *testing.T) {
	const size, most = 64 << 20, 4 << 20
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spool, err := store.Spool()
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	for range size >> 20 {
		if _, err := spool.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := store.Put(t.Context(), spool)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	from, to := io.Pipe()
	go func() {
		w := archive.NewWriter(to, time.Unix(0, 0))
		_, err := w.Database(0)
		if err == nil {
			_, err = w.Blob(t.Context(), store, info.Key)
		}
		if err == nil {
			_, err = w.Close()
		}
		to.CloseWithError(err)
	}()
	var seen int64
	_, err = archive.Read(t.Context(), from, archive.Visitor{Blob: func(_ blob.Key, r io.Reader, _ int64) error {
		seen, err = io.Copy(io.Discard, r)
		return err
	}})
	runtime.ReadMemStats(&after)
	if err != nil || seen != size {
		t.Fatalf("%d bytes, error %v", seen, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("%d bytes of memory for a blob of %d", used, size)
	}
}
