package mediafile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sort"
)

// View reads a media file without its metadata: exactly the bytes that [Strip] writes. It
// copies nothing, so that a range of a large file can be served. It may be used by as many
// goroutines as its source.
type View struct {
	src    io.ReaderAt
	pieces []piece
	size   int64
}

// piece is a part of a view. Its bytes are data, or zeros, or those of the source.
type piece struct {
	at, length int64 // in the view
	from       int64 // in the source
	data       []byte
	zero       bool
}

// NewView returns a view of the file src of size bytes, whose type [Inspect] returned. It
// walks through the file once, and once more if the file has metadata.
func NewView(ctx context.Context, src io.ReaderAt, size int64, mimeType string) (*View, error) {
	var total totals
	edits := 0
	survey := &scan{window: window{ctx: ctx, r: src, size: size}}
	survey.edit = func(e edit) error {
		edits++
		total.grown += e.grows()
		return nil
	}
	if err := survey.walk(mimeType, &total.facts); err != nil {
		return nil, fmt.Errorf("remove metadata: %w", err)
	}
	v := &View{src: src}
	pos := int64(0) // up to where the source is in the view
	if edits > 0 {
		again := &scan{window: window{ctx: ctx, r: src, size: size}, total: &total}
		again.edit = func(e edit) error {
			if e.offset < pos {
				return fmt.Errorf("edit at byte %d comes after byte %d", e.offset, pos)
			}
			v.add(piece{from: pos, length: e.offset - pos})
			pos = e.offset + e.length
			if e.zero {
				v.add(piece{zero: true, length: e.length})
			} else {
				v.add(piece{data: bytes.Clone(e.data), length: int64(len(e.data))})
			}
			return nil
		}
		if err := again.walk(mimeType, &Facts{}); err != nil {
			return nil, fmt.Errorf("remove metadata: %w", err)
		}
	}
	v.add(piece{from: pos, length: size - pos})
	return v, nil
}

func (v *View) add(p piece) {
	if p.length > 0 {
		p.at = v.size
		v.pieces = append(v.pieces, p)
		v.size += p.length
	}
}

// Size returns the number of bytes of the view.
func (v *View) Size() int64 { return v.size }

// ReadAt implements [io.ReaderAt].
func (v *View) ReadAt(b []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("read at negative offset %d", offset)
	}
	first := sort.Search(len(v.pieces), func(i int) bool { return v.pieces[i].at+v.pieces[i].length > offset })
	for _, p := range v.pieces[min(first, len(v.pieces)):] {
		if n == len(b) {
			break
		}
		skip := offset + int64(n) - p.at
		part := b[n : n+int(min(int64(len(b)-n), p.length-skip))]
		if err := v.read(p, part, skip); err != nil {
			return n, err
		}
		n += len(part)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// read fills b with the bytes of a piece after the first skip ones.
func (v *View) read(p piece, b []byte, skip int64) error {
	switch {
	case p.zero:
		clear(b)
	case p.data != nil:
		copy(b, p.data[skip:])
	default:
		n, err := v.src.ReadAt(b, p.from+skip)
		if n == len(b) {
			return nil
		}
		if err == io.EOF || err == nil {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}
