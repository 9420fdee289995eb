package mediafile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
)

// View describes a media file without its metadata: exactly the bytes that [Strip]
// writes. It holds none of the bytes that stay, so that a range of a large file can be
// served. It may be used by several goroutines.
type View struct {
	pieces []piece
	data   []byte // the bytes that replace others
	size   int64
	source int64 // size of the file
}

// piece is a part of a view, up to the next piece. Its bytes are those of the file from
// an offset on, or zeros, or, if from is negative and not zeroPiece, those of View.data
// from dataPiece - from on.
type piece struct{ at, from int64 }

const (
	zeroPiece = -1
	dataPiece = -2
)

// NewView returns a view of the file src of size bytes, which [Inspect] has accepted with
// this type. It walks through the file once, and once more if the file has metadata whose
// removal changes an earlier part. It does not check the checksums of PNG files again.
//
// The error is that of src or ctx, or an [*InvalidError]. It wraps [ErrTooManyParts] for a
// file that was stored before its number of parts was limited.
func NewView(ctx context.Context, src io.ReaderAt, size int64, mimeType string) (*View, error) {
	b := &viewBuilder{source: size}
	var total totals
	s := newScan(ctx, src, size)
	s.inspected, s.edit = true, b.add
	err := s.walk(mimeType, &total.facts)
	if total.grown, total.samples = b.grown, s.samples; err == nil && s.needsTotals(b.edits) {
		b = &viewBuilder{source: size}
		again := newScan(ctx, src, size)
		again.inspected, again.edit, again.total = true, b.add, &total
		err = again.walk(mimeType, &Facts{})
	}
	if err != nil {
		return nil, fmt.Errorf("remove metadata: %w", err)
	}
	return b.view(), nil
}

// needsTotals reports whether a walk with so many edits must be repeated with its results.
func (s *scan) needsTotals(edits int64) bool {
	return s.facts.MIMEType == WebP && edits > 0 || len(s.samples) > 0
}

// viewBuilder makes a view of edits, which must be in the order of their offsets.
type viewBuilder struct {
	v      View
	source int64 // size of the file
	pos    int64 // up to where the source is in the view
	edits  int64
	grown  int64 // by how many bytes the edits lengthen the file
	end    int64 // where the last piece would continue
}

// add adds an edit, and the bytes before it.
func (b *viewBuilder) add(e edit) error {
	if e.offset < b.pos {
		return fmt.Errorf("edit at byte %d comes after byte %d", e.offset, b.pos)
	}
	b.edits++
	if err := checkEdits(e.offset, b.edits, maxViewEdits); err != nil {
		return err
	}
	b.piece(b.pos, e.offset-b.pos)
	b.pos = e.offset + e.length
	b.grown += e.grows()
	b.piece(dataPiece-int64(len(b.v.data)), int64(len(e.data)))
	b.v.data = append(b.v.data, e.data...)
	if e.zero {
		b.piece(zeroPiece, e.length-int64(len(e.data)))
	}
	return nil
}

// piece appends a piece, unless it continues the last one.
func (b *viewBuilder) piece(from, length int64) {
	if length == 0 {
		return
	}
	v := &b.v
	continues := len(v.pieces) > 0 && from == b.end
	switch {
	case from == zeroPiece:
		b.end = zeroPiece
	case from < 0:
		b.end = from - length
	default:
		b.end = from + length
	}
	if !continues {
		if len(v.pieces) == cap(v.pieces) {
			v.pieces = slices.Grow(v.pieces, len(v.pieces)+1) // append grows by a quarter, and copies more
		}
		v.pieces = append(v.pieces, piece{at: v.size, from: from})
	}
	v.size += length
}

// view returns the view of all edits.
func (b *viewBuilder) view() *View {
	b.piece(b.pos, b.source-b.pos)
	v := b.v
	v.source = b.source
	return &v
}

// Size returns the number of bytes of the view.
func (v *View) Size() int64 { return v.size }

// Memory returns about how many bytes of memory the view takes: 16 for each piece, and
// the bytes that replace others.
func (v *View) Memory() int { return 128 + 16*cap(v.pieces) + cap(v.data) }

// Reader returns a reader of the view of the file src, which must have the bytes that the
// view was made of. It reads ahead of small pieces, so that src is not read once for
// each. It must be used by one goroutine at a time, and fails once ctx has ended.
func (v *View) Reader(ctx context.Context, src io.ReaderAt) *io.SectionReader {
	r := &viewReader{view: v, source: window{ctx: ctx, r: src, size: v.source}}
	return io.NewSectionReader(r, 0, v.size)
}

// viewReader reads a view. Its caller, a section reader, checks offsets.
type viewReader struct {
	view   *View
	source window
}

// ReadAt implements [io.ReaderAt].
func (r *viewReader) ReadAt(b []byte, offset int64) (n int, err error) {
	v := r.view
	if err := r.source.ctx.Err(); err != nil {
		return 0, err
	}
	i := sort.Search(len(v.pieces), func(i int) bool { return v.pieces[i].at > offset }) - 1
	for ; i < len(v.pieces) && n < len(b); i++ {
		end := v.size
		if i+1 < len(v.pieces) {
			end = v.pieces[i+1].at
		}
		at := offset + int64(n)
		part := b[n : n+int(min(int64(len(b)-n), end-at))]
		if err := r.read(v.pieces[i].from, at-v.pieces[i].at, part); err != nil {
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
func (r *viewReader) read(from, skip int64, b []byte) error {
	switch {
	case from == zeroPiece:
		clear(b)
		return nil
	case from < 0:
		copy(b, r.view.data[dataPiece-from+skip:])
		return nil
	case len(b) < windowSize/4:
		part, err := r.source.at(from+skip, len(b), "the file")
		copy(b, part)
		return err
	}
	n, err := r.source.r.ReadAt(b, from+skip)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
