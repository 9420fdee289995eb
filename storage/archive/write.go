package archive

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
)

// Writer writes an archive. Call Database, then Blob in ascending order of keys, then
// Close. After an error the archive is useless.
type Writer struct {
	tar      *tar.Writer
	at       time.Time
	sum      hash.Hash // of the database
	manifest Manifest
}

// NewWriter returns a writer. at is the time of all entries.
func NewWriter(w io.Writer, at time.Time) *Writer {
	return &Writer{tar: tar.NewWriter(w), at: at.UTC().Truncate(time.Second), sum: sha256.New(), manifest: Manifest{Version: formatVersion}}
}

// Database returns a writer for the database file, which must have exactly this size.
func (w *Writer) Database(size int64) (io.Writer, error) {
	if err := w.header(databaseName, size); err != nil {
		return nil, err
	}
	w.manifest.Database.Bytes = size
	return io.MultiWriter(w.tar, w.sum), nil
}

func (w *Writer) header(name string, size int64) error {
	err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Result says what Blob has written.
type Result string

// The results.
const (
	Complete Result = "complete"
	Damaged  Result = "damaged" // the bytes in the store do not match the key
	Missing  Result = "missing" // the store does not have the blob
)

// Blob copies a blob from a store and verifies it. A missing or damaged blob is marked in
// the archive and is no error. A store that cannot be reached is an error.
func (w *Writer) Blob(ctx context.Context, from blob.Store, key blob.Key) (Result, error) {
	r, err := from.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return Missing, w.Missing(key)
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	size := r.Info().Size
	if err := w.header(blobPrefix+key.String(), size); err != nil {
		return "", err
	}
	source := &blobReader{r: blob.Verified(r)}
	n, err := io.Copy(w.tar, source) // the last read compares the hash
	switch {
	case err == nil && n == size:
		w.manifest.Blobs.Files, w.manifest.Blobs.Bytes = w.manifest.Blobs.Files+1, w.manifest.Blobs.Bytes+size
		return Complete, nil
	case source.err == nil || !isDamage(source.err) || n > size:
		return "", errors.Join(err, ctx.Err())
	}
	if _, err := io.CopyN(w.tar, zeros{}, size-n); err != nil {
		return "", err
	}
	w.manifest.Damaged++
	return Damaged, w.header(damagedPrefix+key.String(), 0)
}

// Missing marks a blob that the store does not have.
func (w *Writer) Missing(key blob.Key) error {
	w.manifest.Missing++
	return w.header(missingPrefix+key.String(), 0)
}

// isDamage reports whether an error of reading a blob concerns this blob only, and not
// the whole store.
func isDamage(err error) bool {
	var file *fs.PathError
	return errors.Is(err, blob.ErrCorrupt) || errors.Is(err, blob.ErrNotFound) || errors.As(err, &file)
}

// blobReader keeps the error of the source, to tell it apart from errors of
// the destination.
type blobReader struct {
	r   io.Reader
	err error
}

// Read implements [io.Reader].
func (b *blobReader) Read(p []byte) (n int, err error) {
	n, err = b.r.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// zeros is an endless source of zero bytes.
type zeros struct{}

// Read implements [io.Reader].
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Close writes the manifest. It does not close the underlying writer.
func (w *Writer) Close() (Manifest, error) {
	w.manifest.Database.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	text, err := json.Marshal(w.manifest)
	if err != nil {
		return w.manifest, err
	}
	if err := w.header(manifestName, int64(len(text))); err != nil {
		return w.manifest, err
	}
	if _, err := w.tar.Write(text); err != nil {
		return w.manifest, err
	}
	return w.manifest, w.tar.Close()
}
