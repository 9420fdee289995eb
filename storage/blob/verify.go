package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Verify reads a blob and compares its bytes with its key. It returns an error that
// wraps [ErrCorrupt] when they differ, or [ErrNotFound].
func Verify(ctx context.Context, s Store, key Key) error {
	r, err := s.Open(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, Verified(r))
	return err
}

// Verified returns a reader of all bytes of a blob. Its last Read returns an error that
// wraps [ErrCorrupt] instead of [io.EOF] when the bytes do not match the key. r must be at
// its start, and must not be used otherwise until then.
func Verified(r Reader) io.Reader { return &verifier{r: r, hash: sha256.New()} }

// verifier hashes what is read.
type verifier struct {
	r    Reader
	hash hash.Hash
	size int64
}

func (v *verifier) Read(b []byte) (int, error) {
	n, err := v.r.Read(b)
	v.hash.Write(b[:n])
	v.size += int64(n)
	if err == io.EOF {
		if found := Key(v.hash.Sum(nil)); found != v.r.Info().Key {
			return n, fmt.Errorf("blob %s: %w: its %d bytes have the SHA-256 %s", v.r.Info().Key, ErrCorrupt, v.size, found)
		}
	}
	return n, err
}

// Copy copies a blob to another store. It verifies the bytes, and returns an error that
// wraps [ErrCorrupt] without storing anything when they do not match the key.
func Copy(ctx context.Context, to, from Store, key Key) (info Info, err error) {
	r, err := from.Open(ctx, key)
	if err != nil {
		return Info{}, err
	}
	defer r.Close()
	spool, err := to.Spool()
	if err != nil {
		return Info{}, err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	if _, err := io.Copy(spool, Verified(r)); err != nil {
		return Info{}, err
	}
	return to.Put(ctx, spool)
}
