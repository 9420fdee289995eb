package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
)

func testDelete(f *fixture) {
	gone, kept := f.put(randomBytes(1, bigSize)), f.put(randomBytes(2, bigSize))
	for range 2 {
		if err := f.store.Delete(context.Background(), gone.Key); err != nil {
			f.Errorf("Delete: %v", err)
		}
	}
	if _, err := f.read(gone.Key); !errors.Is(err, blob.ErrNotFound) {
		f.Errorf("a deleted blob: error %v", err)
	}
	if all := f.list(); len(all) != 1 || all[0].Key != kept.Key {
		f.Errorf("listed %v", all)
	}
	f.put(randomBytes(1, bigSize))
	f.wantBytes(gone.Key, randomBytes(1, bigSize))
}

// testDeleteWhileReading guards that a reader never returns wrong bytes or an early end.
func testDeleteWhileReading(f *fixture) {
	data := randomBytes(1, bigSize)
	info := f.put(data)
	r, err := f.store.Open(context.Background(), info.Key)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		f.Fatal(err)
	}
	if err := f.store.Delete(context.Background(), info.Key); err != nil {
		f.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if !bytes.HasPrefix(data[10:], rest) || err == nil && len(rest) != len(data)-10 || err != nil && !errors.Is(err, blob.ErrNotFound) {
		f.Errorf("read %d more bytes of %d, error %v", len(rest), len(data)-10, err)
	}
}

func testDeleteUnmodified(f *fixture) {
	info := f.put([]byte("x"))
	for _, c := range []struct {
		before time.Time
		want   bool
	}{{info.ModifiedAt, false}, {info.ModifiedAt.Add(-time.Hour), false}, {info.ModifiedAt.Add(time.Second), true}, {info.ModifiedAt.Add(time.Second), false}} {
		if got, err := f.store.DeleteUnmodified(context.Background(), info.Key, c.before); err != nil || got != c.want {
			f.Errorf("DeleteUnmodified %v after the Put returned %v, error %v", c.before.Sub(info.ModifiedAt), got, err)
		}
	}
	if _, err := f.store.Stat(context.Background(), info.Key); !errors.Is(err, blob.ErrNotFound) {
		f.Errorf("Stat: error %v", err)
	}
}

// testPutWhileDeleting guards that every blob is complete or absent, and that the last
// Put wins.
func testPutWhileDeleting(f *fixture) {
	data := randomBytes(1, bigSize)
	info := f.put(data)
	var deletes sync.WaitGroup
	ended := make(chan struct{})
	for range 2 {
		deletes.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if err := f.store.Delete(context.Background(), info.Key); err != nil {
					f.Errorf("Delete: %v", err)
					return
				}
			}
		})
	}
	for range 10 {
		f.put(data)
		if err := blob.Verify(context.Background(), f.store, info.Key); err != nil && !errors.Is(err, blob.ErrNotFound) {
			f.Errorf("Verify: %v", err)
		}
	}
	close(ended)
	deletes.Wait()
	f.put(data)
	f.wantBytes(info.Key, data)
}

// testRenewWhileCollecting guards that a collector never deletes a blob after it was put
// again.
func testRenewWhileCollecting(f *fixture) {
	data := randomBytes(1, 1000)
	for range 20 {
		old := f.put(data)
		before := old.ModifiedAt.Add(time.Nanosecond)
		if f.put(data).ModifiedAt.Before(before) {
			continue // the clock did not move
		}
		spool := f.spool(data)
		var collector sync.WaitGroup
		collector.Go(func() {
			if deleted, err := f.store.DeleteUnmodified(context.Background(), old.Key, before); deleted || err != nil {
				f.Errorf("DeleteUnmodified returned %v, error %v", deleted, err)
			}
		})
		if _, err := f.store.Put(context.Background(), spool); err != nil {
			f.Fatal(err)
		}
		collector.Wait()
		f.wantBytes(old.Key, data)
	}
}

// putBytes stores bytes. It may be called from any goroutine.
func putBytes(s blob.Store, data []byte) (blob.Info, error) {
	spool, err := s.Spool()
	if err != nil {
		return blob.Info{}, err
	}
	defer spool.Close()
	if _, err := spool.Write(data); err != nil {
		return blob.Info{}, err
	}
	return s.Put(context.Background(), spool)
}

// testPutIntoCollection guards that bytes are not lost that were put while a collector was
// about to delete the same bytes: it has seen that they are old.
func testPutIntoCollection(f *fixture) {
	if f.engine.Collect == nil {
		return
	}
	data := randomBytes(1, 1000)
	old := f.put(data)
	_, err := f.engine.Collect(f.T, f.store, old.Key, old.ModifiedAt.Add(time.Second), func(s blob.Store) {
		if _, err := putBytes(s, data); err != nil {
			f.Errorf("Put: %v", err)
		}
	})
	if err != nil {
		f.Errorf("DeleteUnmodified: %v", err)
	}
	f.wantBytes(old.Key, data)
	if all := f.list(); len(all) != 1 {
		f.Errorf("listed %+v", all)
	}
}

// listed is more than one page of any engine.
const listed = 300

func testList(f *fixture) {
	var want []blob.Key
	for i := range listed {
		want = append(want, f.put([]byte{byte(i), byte(i >> 8)}).Key)
	}
	slices.SortFunc(want, func(a, b blob.Key) int { return bytes.Compare(a[:], b[:]) })
	got := f.list()
	if len(got) != len(want) {
		f.Fatalf("listed %d blobs, want %d", len(got), len(want))
	}
	for i, info := range got {
		stat, err := f.store.Stat(context.Background(), info.Key)
		if info.Key != want[i] || info.Size != 2 || err != nil || !stat.ModifiedAt.Equal(info.ModifiedAt) {
			f.Errorf("blob %d is %+v, want the key %s; Stat returned %+v, error %v", i, info, want[i], stat, err)
		}
	}
}

// testListEnds deletes from within the list, and ends it with an error.
func testListEnds(f *fixture) {
	f.put([]byte("a"))
	f.put([]byte("b"))
	end, seen := errors.New("end"), 0
	err := f.store.List(context.Background(), func(i blob.Info) error {
		seen++
		if err := f.store.Delete(context.Background(), i.Key); err != nil {
			f.Errorf("Delete: %v", err)
		}
		return end
	})
	if !errors.Is(err, end) || seen != 1 {
		f.Errorf("List returned %v after %d blobs", err, seen)
	}
	if all := f.list(); len(all) != 1 {
		f.Errorf("listed %v", all)
	}
}
