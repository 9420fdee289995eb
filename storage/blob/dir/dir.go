// Package dir stores blobs as files of a directory.
//
//	DIR/tmp/spool-…     uploads that are not blobs yet
//	DIR/tmp/lock        is locked while a blob gets its name or is deleted
//	DIR/ab/abcdef…      blobs, in a folder named after the first two digits of the key
//
// An upload is written to tmp and synced, renamed to its place, and the folder is synced,
// so that after a crash a blob is complete or absent. Files have the mode 0600, folders
// 0700. Several processes may use the directory if its file system has locks, which also
// exclude the processes of other machines if the file system is shared by them. On a file
// system without locks, one process may write to the directory.
package dir

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/filelock"
)

// Store implements [blob.Store]. Create one with [Open].
type Store struct {
	path string

	shards  [256]shard
	closed  atomic.Bool
	fixed   bool                    // nothing can be stored or deleted
	syncDir func(path string) error // syncDir, or a test's

	beforeWait, beforeRemove func() // of tests: before it waits for a lock, and after a check
}

// shard is the folder of all keys with the same first byte. Its lock excludes the other
// goroutines of this process where the file system has no locks.
type shard struct {
	mu      sync.Mutex // mu guards durable, and every change in the folder
	durable bool       // the folder is on disk
}

var _ blob.Store = (*Store)(nil)

// Open opens the store in a directory, which it creates if it is missing. Open removes
// uploads that killed processes have left behind.
func Open(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the blob directory: %w", err)
	}
	s := newStore(path)
	if err := blob.CleanSpools(s.spools()); err != nil {
		return nil, fmt.Errorf("open the blob directory: %w", err)
	}
	return s, nil
}

// OpenReadOnly opens the store in a directory for reading and changes nothing. Methods that
// would change something return an error. A missing directory has no blobs.
func OpenReadOnly(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the blob directory: %w", err)
	}
	s := newStore(path)
	s.fixed = true
	return s, nil
}

func newStore(path string) *Store {
	return &Store{path: path, syncDir: syncDir, beforeWait: func() {}, beforeRemove: func() {}}
}

// errFixed is the error of changes after [OpenReadOnly].
var errFixed = fmt.Errorf("the blob directory is open for reading: %w", errors.ErrUnsupported)

func (s *Store) spools() string { return filepath.Join(s.path, "tmp") }

// folder returns the folder of a key.
func (s *Store) folder(key blob.Key) string {
	return filepath.Join(s.path, hex.EncodeToString(key[:1]))
}

func (s *Store) file(key blob.Key) string { return filepath.Join(s.folder(key), key.String()) }

// Spool implements [blob.Store]. The file is in the directory of the store, so that Put
// only renames it.
func (s *Store) Spool() (*blob.Spool, error) {
	if s.closed.Load() {
		return nil, storage.ErrClosed
	}
	if s.fixed {
		return nil, errFixed
	}
	return blob.NewSpool(s.spools())
}

// CleanSpools implements [blob.Store].
func (s *Store) CleanSpools() error {
	if s.fixed {
		return errFixed
	}
	return blob.CleanSpools(s.spools())
}

// Put implements [blob.Store]. An existing file is replaced by the same bytes, which also
// repairs a damaged one.
func (s *Store) Put(ctx context.Context, spool *blob.Spool) (blob.Info, error) {
	key := spool.Key()
	info, err := s.put(ctx, spool, key)
	if err != nil {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", key, err)
	}
	return info, nil
}

func (s *Store) put(ctx context.Context, spool *blob.Spool, key blob.Key) (blob.Info, error) {
	switch {
	case s.closed.Load():
		return blob.Info{}, storage.ErrClosed
	case ctx.Err() != nil:
		return blob.Info{}, ctx.Err()
	case spool.Err() != nil:
		return blob.Info{}, spool.Err()
	}
	if err := spool.Sync(); err != nil { // before the lock, as it takes long
		return blob.Info{}, err
	}
	shard := &s.shards[key[0]]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if err := s.makeFolder(shard, key); err != nil {
		return blob.Info{}, err
	}
	unlock, err := s.lock(filelock.Shared)
	if err != nil {
		return blob.Info{}, err
	}
	defer unlock()
	if err := spool.MoveTo(s.file(key)); err != nil {
		// Windows replaces no file that is being read.
		if s.renew(spool, key) != nil {
			return blob.Info{}, err
		}
	}
	if err := s.syncDir(s.folder(key)); err != nil {
		return blob.Info{}, err
	}
	return s.stat(key)
}

// lock locks the directory against other processes. Puts take a shared lock and deletions
// an exclusive one, so that no blob gets its name between the check and the removal of a
// deletion.
func (s *Store) lock(kind filelock.Kind) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(s.spools(), lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	locked, err := filelock.TryLock(f, kind)
	if err == nil && !locked {
		s.beforeWait()
		err = filelock.Lock(f, kind)
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// lockName is the name of the file in the folder of spools that is locked.
const lockName = "lock"

// makeFolder creates the folder of a shard, durably. Another process may have created it
// and crashed before it was on disk.
func (s *Store) makeFolder(shard *shard, key blob.Key) error {
	if shard.durable {
		return nil
	}
	if err := os.Mkdir(s.folder(key), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err := s.syncDir(s.path)
	shard.durable = err == nil
	return err
}

// renew sets the time of an existing blob that has the size of a spool.
func (s *Store) renew(spool *blob.Spool, key blob.Key) error {
	info, err := s.stat(key)
	if err != nil {
		return err
	}
	if info.Size != spool.Size() {
		return blob.ErrCorrupt
	}
	now := time.Now()
	return os.Chtimes(s.file(key), now, now)
}

// Stat implements [blob.Store].
func (s *Store) Stat(ctx context.Context, key blob.Key) (blob.Info, error) {
	if s.closed.Load() {
		return blob.Info{}, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return blob.Info{}, err
	}
	info, err := s.stat(key)
	if err != nil {
		return blob.Info{}, fmt.Errorf("find blob %s: %w", key, err)
	}
	return info, nil
}

func (s *Store) stat(key blob.Key) (blob.Info, error) {
	info, err := os.Stat(s.file(key))
	if err != nil {
		return blob.Info{}, notFound(err)
	}
	return describe(key, info), nil
}

func describe(key blob.Key, info fs.FileInfo) blob.Info {
	return blob.Info{Key: key, Size: info.Size(), ModifiedAt: info.ModTime()}
}

// notFound turns the error of a missing file into [blob.ErrNotFound].
func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return blob.ErrNotFound
	}
	return err
}

// Delete implements [blob.Store].
func (s *Store) Delete(ctx context.Context, key blob.Key) error {
	_, err := s.delete(ctx, key, func(blob.Info) bool { return true })
	return err
}

// DeleteUnmodified implements [blob.Store].
func (s *Store) DeleteUnmodified(ctx context.Context, key blob.Key, before time.Time) (bool, error) {
	return s.delete(ctx, key, func(i blob.Info) bool { return i.ModifiedAt.Before(before) })
}

// delete deletes a blob if its description meets a condition. It is not durable: after a
// crash the blob may exist again.
func (s *Store) delete(ctx context.Context, key blob.Key, meets func(blob.Info) bool) (bool, error) {
	if s.closed.Load() {
		return false, storage.ErrClosed
	}
	if s.fixed {
		return false, errFixed
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	shard := &s.shards[key[0]]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	unlock, err := s.lock(filelock.Exclusive)
	if err != nil {
		return false, fmt.Errorf("delete blob %s: %w", key, err)
	}
	defer unlock()
	info, err := s.stat(key)
	if err == nil && !meets(info) {
		return false, nil
	}
	if err == nil {
		s.beforeRemove()
		err = notFound(os.Remove(s.file(key)))
	}
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("delete blob %s: %w", key, err)
	}
	return true, nil
}

// Close implements [blob.Store].
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

// syncDir writes the entries of a directory to disk, where the system supports that.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && canSyncDirs {
		return err
	}
	return nil
}
