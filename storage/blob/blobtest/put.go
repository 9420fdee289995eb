package blobtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"sync"
	"testing/iotest"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// bigSize is more than two chunks of any engine, and not a multiple of their size.
const bigSize = 2<<20 + 12345

func testPutAndRead(f *fixture) {
	for i, size := range []int{1, 1000, 1 << 20, 1<<20 + 1, bigSize} {
		data := randomBytes(uint64(i), size)
		info := f.put(data)
		if info.Key != sha256.Sum256(data) || info.Size != int64(size) || info.ModifiedAt.IsZero() {
			f.Errorf("Put of %d bytes returned %+v", size, info)
		}
		f.wantBytes(info.Key, data)
		stat, err := f.store.Stat(context.Background(), info.Key)
		if err != nil || stat.Key != info.Key || stat.Size != info.Size || !stat.ModifiedAt.Equal(info.ModifiedAt) {
			f.Errorf("Stat returned %+v, want %+v, error %v", stat, info, err)
		}
		if err := blob.Verify(context.Background(), f.store, info.Key); err != nil {
			f.Errorf("Verify: %v", err)
		}
	}
}

func testEmpty(f *fixture) {
	info := f.put(nil)
	if info.Key != sha256.Sum256(nil) || info.Size != 0 {
		f.Errorf("Put of no bytes returned %+v", info)
	}
	f.wantBytes(info.Key, nil)
	if all := f.list(); len(all) != 1 || all[0].Size != 0 {
		f.Errorf("listed %+v", all)
	}
}

// testSeek reads ranges as an HTTP server does.
func testSeek(f *fixture) {
	data := randomBytes(7, bigSize)
	r, err := f.store.Open(context.Background(), f.put(data).Key)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	if size, err := r.Seek(0, io.SeekEnd); err != nil || size != bigSize || r.Info().Size != bigSize {
		f.Errorf("Seek to the end returned %d, error %v", size, err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		f.Errorf("Read at the end returned %d bytes, error %v", n, err)
	}
	for _, rg := range [][2]int64{{0, 10}, {1<<20 - 5, 10}, {bigSize - 3, 3}, {1 << 20, 1 << 20}, {12, 0}} {
		got := make([]byte, rg[1])
		_, err := r.Seek(rg[0], io.SeekStart)
		_, err2 := io.ReadFull(r, got)
		if err := errors.Join(err, err2); err != nil || string(got) != string(data[rg[0]:rg[0]+rg[1]]) {
			f.Errorf("%d bytes at %d differ, error %v", rg[1], rg[0], err)
		}
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		f.Error("Seek before the start returned no error")
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		f.Error(err)
	}
	if err := iotest.TestReader(r, data); err != nil {
		f.Error(err)
	}
}

func testMissing(f *fixture) {
	ctx, key := context.Background(), blob.Key{1}
	_, errOpen := f.store.Open(ctx, key)
	_, errStat := f.store.Stat(ctx, key)
	for what, err := range map[string]error{"Open": errOpen, "Stat": errStat, "Verify": blob.Verify(ctx, f.store, key)} {
		if !errors.Is(err, blob.ErrNotFound) {
			f.Errorf("%s of a missing blob: error %v", what, err)
		}
	}
	if err := f.store.Delete(ctx, key); err != nil {
		f.Errorf("Delete of a missing blob: %v", err)
	}
	if all := f.list(); len(all) != 0 {
		f.Errorf("an empty store lists %v", all)
	}
}

func testPutTwice(f *fixture) {
	data := randomBytes(1, bigSize)
	first := f.put(data)
	second := f.put(data)
	if second.Key != first.Key || second.Size != first.Size || second.ModifiedAt.Before(first.ModifiedAt) {
		f.Errorf("the first Put returned %+v, the second %+v", first, second)
	}
	if all := f.list(); len(all) != 1 || !all[0].ModifiedAt.Equal(second.ModifiedAt) {
		f.Errorf("listed %+v, want %+v", all, second)
	}
	f.wantBytes(first.Key, data)
}

func testPutAtOnce(f *fixture) {
	data := randomBytes(1, bigSize)
	var puts sync.WaitGroup
	for range 8 {
		spool := f.spool(data)
		puts.Go(func() {
			if info, err := f.store.Put(context.Background(), spool); err != nil || info.Size != bigSize {
				f.Errorf("Put: %+v, error %v", info, err)
			}
		})
	}
	puts.Wait()
	if all := f.list(); len(all) != 1 {
		f.Errorf("listed %+v", all)
	}
	f.wantBytes(sha256.Sum256(data), data)
}

// testFailedSpool guards that incomplete bytes are not stored.
func testFailedSpool(f *fixture) {
	spool := f.spool([]byte("four"))
	spool.SetLimit(4)
	if _, err := spool.Write([]byte("5")); !errors.Is(err, blob.ErrTooLarge) {
		f.Errorf("Write beyond the limit: error %v", err)
	}
	if _, err := f.store.Put(context.Background(), spool); !errors.Is(err, blob.ErrTooLarge) {
		f.Errorf("Put of an incomplete spool: error %v", err)
	}
	if all := f.list(); len(all) != 0 {
		f.Errorf("listed %v", all)
	}
}

func testCanceled(f *fixture) {
	info, spool := f.put([]byte("there")), f.spool([]byte("new"))
	r, err := f.store.Open(context.Background(), info.Key)
	if err != nil {
		f.Fatal(err)
	}
	r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	open, err := f.store.Open(ctx, info.Key)
	if err != nil {
		f.Fatal(err)
	}
	defer open.Close()
	cancel()
	_, errRead := io.ReadAll(open)
	_, errPut := f.store.Put(ctx, spool)
	_, errOpen := f.store.Open(ctx, info.Key)
	_, errStat := f.store.Stat(ctx, info.Key)
	for what, err := range map[string]error{
		"Read": errRead, "Put": errPut, "Open": errOpen, "Stat": errStat, "Delete": f.store.Delete(ctx, info.Key),
		"List": f.store.List(ctx, func(blob.Info) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			f.Errorf("%s with a canceled context: error %v", what, err)
		}
	}
	if all := f.list(); len(all) != 1 || all[0].Key != info.Key {
		f.Errorf("listed %v", all)
	}
	if _, err := f.store.Put(context.Background(), spool); err != nil {
		f.Errorf("a second Put of the same spool: %v", err)
	}
}

// testCancelMidway cancels a Put at random points. The blob is complete or absent.
func testCancelMidway(f *fixture) {
	for i := range 8 {
		data := randomBytes(uint64(i), 4<<20)
		spool := f.spool(data)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { _, err := f.store.Put(ctx, spool); done <- err }()
		for j := range i * 50 { // takes longer each time
			sha256.Sum256(data[:j<<10])
		}
		cancel()
		errPut := <-done
		err := blob.Verify(context.Background(), f.store, spool.Key())
		switch {
		case errPut == nil && err != nil:
			f.Errorf("Put returned nil, and Verify %v", err)
		case errPut != nil && !errors.Is(errPut, context.Canceled):
			f.Errorf("Put returned %v", errPut)
		case err != nil && !errors.Is(err, blob.ErrNotFound):
			f.Errorf("after Put returned %v, Verify returned %v", errPut, err)
		}
	}
}

func testClosed(f *fixture) {
	spool := f.spool([]byte("x"))
	if err := f.store.Close(); err != nil {
		f.Errorf("Close: %v", err)
	}
	ctx, key := context.Background(), blob.Key{}
	_, errSpool := f.store.Spool()
	_, errPut := f.store.Put(ctx, spool)
	_, errOpen := f.store.Open(ctx, key)
	_, errStat := f.store.Stat(ctx, key)
	for what, err := range map[string]error{
		"Spool": errSpool, "Put": errPut, "Open": errOpen, "Stat": errStat, "Delete": f.store.Delete(ctx, key),
		"List": f.store.List(ctx, func(blob.Info) error { return nil }),
	} {
		if !errors.Is(err, storage.ErrClosed) {
			f.Errorf("%s of a closed store: error %v", what, err)
		}
	}
	if err := f.store.Close(); err != nil {
		f.Errorf("a second Close: %v", err)
	}
}
