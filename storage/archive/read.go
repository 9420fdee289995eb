package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/storage/blob"
)

// Visitor receives the content of an archive. Each function may be nil. Its error ends the
// reading and is returned unchanged. A function need not read to the end.
type Visitor struct {
	// Database receives the database file.
	Database func(r io.Reader, size int64) error

	// Blob receives the bytes of a blob, and is also called for a damaged one. The last
	// Read of a damaged one returns an error that wraps [blob.ErrCorrupt], which the
	// function may return.
	Blob func(key blob.Key, r io.Reader, size int64) error

	// Lost is called for each blob that is damaged or missing.
	Lost func(key blob.Key, how Result) error
}

// maxManifest is the largest manifest that is read, in bytes.
const maxManifest = 64 << 10

// Read reads a whole archive and verifies it: the order and names of its entries, the hash
// of the database and of each blob, and the manifest. Errors wrap [ErrTruncated],
// [ErrInvalid] or [ErrNewer], or are those of r, of ctx and of the visitor.
func Read(ctx context.Context, r io.Reader, v Visitor) (Manifest, error) {
	source := &contextReader{ctx: ctx, r: r}
	a := &reading{tar: tar.NewReader(source), source: source, visitor: v}
	return a.all()
}

// contextReader ends when its context does. It keeps the error of the source.
type contextReader struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read implements [io.Reader].
func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		c.err = err
		return 0, err
	}
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// reading is the state of [Read].
type reading struct {
	tar     *tar.Reader
	source  *contextReader
	visitor Visitor
	found   Manifest
	last    string // the key of the last entry, in hexadecimal
	damaged string // the key of a blob whose mark must follow; empty for none
}

func (a *reading) all() (Manifest, error) {
	h, err := a.next()
	if err != nil {
		return a.found, err
	}
	if h.Name != databaseName {
		return a.found, invalid("it does not start with the database")
	}
	if err := a.database(h.Size); err != nil {
		return a.found, err
	}
	for {
		h, err := a.next()
		if err != nil {
			return a.found, err
		}
		if a.damaged != "" && h.Name != damagedPrefix+a.damaged {
			return a.found, invalid("the bytes of blob %s do not match its name", a.damaged)
		}
		if h.Name == manifestName {
			return a.found, a.manifest(h.Size)
		}
		if err := a.entry(h); err != nil {
			return a.found, err
		}
	}
}

// next reads the header of the next entry.
func (a *reading) next() (*tar.Header, error) {
	h, err := a.tar.Next()
	if err != nil {
		return nil, a.explain(err)
	}
	records := slices.DeleteFunc(slices.Collect(maps.Keys(h.PAXRecords)), func(name string) bool { return name == "size" })
	if h.Typeflag != tar.TypeReg || len(records) > 0 || h.Size < 0 {
		return nil, invalid("it has an unknown entry")
	}
	return h, nil
}

// explain returns the cause of an error of the tar reader.
func (a *reading) explain(err error) error {
	switch {
	case a.source.err != nil:
		return a.source.err
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends before its manifest", ErrTruncated)
	}
	return invalid("%v", err)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// content calls a function of the visitor with the content of the current entry, and reads
// the rest. It returns the error of reading and the error of the function.
func (a *reading) content(r io.Reader, visit func(io.Reader) error) (found, visited error) {
	source := &blobReader{r: r}
	if visited = visit(source); visited == nil && source.err == nil {
		_, _ = io.Copy(io.Discard, source)
	}
	return source.err, visited
}

func (a *reading) database(size int64) error {
	sum := sha256.New()
	found, visited := a.content(io.TeeReader(a.tar, sum), func(r io.Reader) error {
		if a.visitor.Database == nil {
			return nil
		}
		return a.visitor.Database(r, size)
	})
	if found != nil {
		return a.explain(found)
	}
	a.found.Database = Database{Bytes: size, SHA256: hex.EncodeToString(sum.Sum(nil))}
	return visited
}

// entry reads an entry between the database and the manifest.
func (a *reading) entry(h *tar.Header) error {
	kind, name, _ := strings.Cut(h.Name, "/")
	key, err := blob.ParseKey(name)
	if err != nil {
		return invalid("it has an unknown entry")
	}
	mark := kind+"/" == damagedPrefix && a.damaged == name
	if !mark && name <= a.last {
		return invalid("its entries are not in order")
	}
	a.last, a.damaged = name, ""
	switch {
	case kind+"/" == blobPrefix:
		return a.blob(key, h.Size)
	case h.Size != 0:
	case mark:
		a.found.Damaged++
		return a.lost(key, Damaged)
	case kind+"/" == missingPrefix:
		a.found.Missing++
		return a.lost(key, Missing)
	}
	return invalid("it has an unknown entry")
}

func (a *reading) lost(key blob.Key, how Result) error {
	if a.visitor.Lost == nil {
		return nil
	}
	return a.visitor.Lost(key, how)
}

// blob reads a blob. A damaged one is an error unless its mark follows.
func (a *reading) blob(key blob.Key, size int64) error {
	verified := blob.Verified(&entryReader{a.tar, blob.Info{Key: key, Size: size}})
	found, visited := a.content(verified, func(r io.Reader) error {
		if a.visitor.Blob == nil {
			return nil
		}
		return a.visitor.Blob(key, r, size)
	})
	switch {
	case errors.Is(found, blob.ErrCorrupt):
		a.damaged = key.String()
		if errors.Is(visited, blob.ErrCorrupt) {
			return nil
		}
		return visited
	case found != nil:
		return a.explain(found)
	}
	a.found.Blobs.Files, a.found.Blobs.Bytes = a.found.Blobs.Files+1, a.found.Blobs.Bytes+size
	return visited
}

// entryReader is the content of an entry as a [blob.Reader] that cannot seek.
type entryReader struct {
	io.Reader
	info blob.Info
}

// Info implements [blob.Reader].
func (e *entryReader) Info() blob.Info { return e.info }

// Seek implements [blob.Reader].
func (e *entryReader) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

// Close implements [blob.Reader].
func (e *entryReader) Close() error { return nil }

// manifest compares the manifest with what was read.
func (a *reading) manifest(size int64) error {
	if size > maxManifest {
		return invalid("its manifest is too large")
	}
	text, err := io.ReadAll(a.tar)
	if err != nil {
		return a.explain(err)
	}
	var m Manifest
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&m); err != nil {
		return invalid("its manifest cannot be read")
	}
	if m.Version > formatVersion {
		return ErrNewer
	}
	a.found.Version = formatVersion
	if m != a.found {
		return invalid("its content does not match its manifest")
	}
	return nil
}
