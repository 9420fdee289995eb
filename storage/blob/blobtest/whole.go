package blobtest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
)

const (
	streamSize = 64 << 20

	// memoryLimit is far below streamSize. Engines use about 4 MB. What liveHeap measures
	// includes what was allocated during the collection, which takes long on a busy machine.
	memoryLimit = 16 << 20
)

// testMemory puts and reads a large blob, and measures the live heap at the same time.
func testMemory(f *fixture) {
	spool := f.spool(nil)
	stream := io.LimitReader(rand.NewChaCha8([32]byte{}), streamSize)
	if _, err := io.Copy(spool, stream); err != nil {
		f.Fatal(err)
	}
	peak := liveHeap(func() {
		info, err := f.store.Put(context.Background(), spool)
		if err != nil || info.Size != streamSize {
			f.Errorf("Put returned %+v, error %v", info, err)
		}
		if err := blob.Verify(context.Background(), f.store, info.Key); err != nil {
			f.Errorf("Verify: %v", err)
		}
	})
	if peak > memoryLimit {
		f.Errorf("%d MB used for a blob of %d MB", peak>>20, streamSize>>20)
	}
	f.Logf("%d KB used", peak>>10)
}

// liveHeap returns the largest growth of the live heap in bytes while fn runs.
func liveHeap(fn func()) (peak int64) {
	before := heap()
	var ended atomic.Bool
	go func() { defer ended.Store(true); fn() }()
	for !ended.Load() {
		peak = max(peak, heap()-before)
	}
	return peak
}

// heap collects garbage and returns the size of the heap in bytes.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func testDamage(f *fixture) {
	if f.engine.Damage == nil {
		return
	}
	damaged, whole := f.put(randomBytes(1, bigSize)), f.put(randomBytes(2, bigSize))
	f.engine.Damage(f.T, f.store, damaged.Key)
	if err := blob.Verify(context.Background(), f.store, damaged.Key); !errors.Is(err, blob.ErrCorrupt) {
		f.Errorf("Verify of a damaged blob: error %v", err)
	}
	if err := blob.Verify(context.Background(), f.store, whole.Key); err != nil {
		f.Errorf("Verify of an undamaged blob: %v", err)
	}
	to, err := dir.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer to.Close()
	if _, err := blob.Copy(context.Background(), to, f.store, damaged.Key); !errors.Is(err, blob.ErrCorrupt) {
		f.Errorf("Copy of a damaged blob: error %v", err)
	}
	if _, err := to.Stat(context.Background(), damaged.Key); !errors.Is(err, blob.ErrNotFound) {
		f.Errorf("Stat of the copy: error %v", err)
	}
}

// testRepair guards that a Put of the same bytes repairs a damaged blob.
func testRepair(f *fixture) {
	if f.engine.Damage == nil {
		return
	}
	data := randomBytes(1, bigSize)
	damaged := f.put(data)
	f.engine.Damage(f.T, f.store, damaged.Key)
	if info := f.put(data); info.Key != damaged.Key || info.Size != damaged.Size {
		f.Errorf("Put returned %+v, want %+v", info, damaged)
	}
	if err := blob.Verify(context.Background(), f.store, damaged.Key); err != nil {
		f.Errorf("Verify of a repaired blob: %v", err)
	}
	f.wantBytes(damaged.Key, data)
	if all := f.list(); len(all) != 1 {
		f.Errorf("listed %+v", all)
	}
}

// testCopy copies to another engine and back.
func testCopy(f *fixture) {
	other, err := dir.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer other.Close()
	data := randomBytes(1, bigSize)
	info := f.put(data)
	if _, err := blob.Copy(context.Background(), other, f.store, info.Key); err != nil {
		f.Fatal(err)
	}
	if err := f.store.Delete(context.Background(), info.Key); err != nil {
		f.Fatal(err)
	}
	back, err := blob.Copy(context.Background(), f.store, other, info.Key)
	if err != nil || back.Key != info.Key || back.Size != info.Size {
		f.Errorf("Copy returned %+v, error %v", back, err)
	}
	f.wantBytes(info.Key, data)
	if _, err := blob.Copy(context.Background(), f.store, other, blob.Key{}); !errors.Is(err, blob.ErrNotFound) {
		f.Errorf("Copy of a missing blob: error %v", err)
	}
}
