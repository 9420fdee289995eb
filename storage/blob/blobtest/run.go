// Package blobtest tests engines of package blob. [Run] is the suite that every engine
// must pass.
//
//	func TestStore(t *testing.T) {
//		blobtest.Run(t, blobtest.Engine{Open: func(t *testing.T) blob.Store { … }})
//	}
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
)

// Engine is an engine to test.
type Engine struct {
	// Open returns a new, empty store, which the suite may close.
	Open func(t *testing.T) blob.Store

	// Damage changes one stored byte of a blob, without the store. It may be nil for
	// RunBriefly.
	Damage func(t *testing.T, s blob.Store, key blob.Key)

	// Collect calls DeleteUnmodified for a blob of the store, as the collector of another
	// process. Between its check and its deletion, as far as the engine has a time
	// between them, it starts put with a store of the same blobs. It continues when put
	// has ended or waits for the deletion, and returns when both have ended. It may be
	// nil for RunBriefly.
	Collect func(t *testing.T, s blob.Store, key blob.Key, before time.Time, put func(blob.Store)) (deleted bool, err error)
}

// Run checks the whole contract of [blob.Store]. The calling test must not be parallel:
// the suite measures the memory of the process before its parts run in parallel.
func Run(t *testing.T, e Engine) {
	t.Run("memory", func(t *testing.T) { testMemory(&fixture{t, e, e.Open(t)}) })
	RunBriefly(t, e)
}

// RunBriefly is Run for another configuration of an engine that has passed Run. It does
// not measure memory, so that the calling test may be parallel.
func RunBriefly(t *testing.T, e Engine) {
	for name, test := range map[string]func(*fixture){
		"put and read":           testPutAndRead,
		"empty":                  testEmpty,
		"seek":                   testSeek,
		"missing":                testMissing,
		"put twice":              testPutTwice,
		"put at once":            testPutAtOnce,
		"put other spools":       testFailedSpool,
		"delete":                 testDelete,
		"delete while reading":   testDeleteWhileReading,
		"delete unmodified":      testDeleteUnmodified,
		"put while deleting":     testPutWhileDeleting,
		"renew while collecting": testRenewWhileCollecting,
		"put into a collection":  testPutIntoCollection,
		"list":                   testList,
		"list ends":              testListEnds,
		"canceled":               testCanceled,
		"cancel midway":          testCancelMidway,
		"damage":                 testDamage,
		"repair":                 testRepair,
		"copy":                   testCopy,
		"closed":                 testClosed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&fixture{t, e, e.Open(t)})
		})
	}
}

// fixture is an empty store.
type fixture struct {
	*testing.T
	engine Engine
	store  blob.Store
}

// spool returns a spool with the bytes, which the test closes.
func (f *fixture) spool(data []byte) *blob.Spool {
	f.Helper()
	s, err := f.store.Spool()
	if err != nil {
		f.Fatalf("Spool: %v", err)
	}
	f.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.Errorf("close a spool: %v", err)
		}
	})
	if _, err := s.Write(data); err != nil {
		f.Fatalf("Write: %v", err)
	}
	return s
}

// put stores bytes.
func (f *fixture) put(data []byte) blob.Info {
	f.Helper()
	info, err := f.store.Put(context.Background(), f.spool(data))
	if err != nil {
		f.Fatalf("Put: %v", err)
	}
	return info
}

// read returns the bytes of a blob.
func (f *fixture) read(key blob.Key) ([]byte, error) {
	r, err := f.store.Open(context.Background(), key)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// wantBytes fails the test unless a blob has the bytes.
func (f *fixture) wantBytes(key blob.Key, want []byte) {
	f.Helper()
	got, err := f.read(key)
	if err != nil || !bytes.Equal(got, want) {
		f.Errorf("blob %s: read %d bytes, want %d, error %v", key, len(got), len(want), err)
	}
}

// list returns all blobs.
func (f *fixture) list() (all []blob.Info) {
	f.Helper()
	err := f.store.List(context.Background(), func(i blob.Info) error { all = append(all, i); return nil })
	if err != nil {
		f.Fatalf("List: %v", err)
	}
	return all
}

// randomBytes returns the same bytes for the same seed.
func randomBytes(seed uint64, size int) []byte {
	data := make([]byte, size)
	rand.NewChaCha8(sha256.Sum256([]byte{byte(seed), byte(seed >> 8)})).Read(data)
	return data
}
