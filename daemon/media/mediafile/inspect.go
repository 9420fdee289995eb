package mediafile

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
)

// scan is one walk through a file.
type scan struct {
	window
	limits Limits
	facts  *Facts
	tally  *tally

	// inspected means that Inspect has accepted the file before: checksums are not
	// checked again, and long runs of zeros are overwritten instead of read.
	inspected bool

	// edit receives the changes that remove metadata, in the order of their offsets.
	edit func(edit) error

	// profile, if it is set, receives each part of the color profile: its number, offset
	// and length.
	profile func(number byte, off, length int64) error

	// total has the results of an earlier walk over the same file; it is nil in the
	// first walk.
	total *totals

	// samples are the samples of metadata tracks, which the walk over a video finds.
	samples []byteRange
}

func newScan(ctx context.Context, r io.ReaderAt, size int64) *scan {
	return &scan{window: window{ctx: ctx, r: r, size: size}, tally: newTally(size)}
}

// totals is what a format must know at its start about the rest of the file.
type totals struct {
	facts   Facts
	grown   int64 // by how many bytes all edits together lengthen the file
	samples []byteRange
}

// edit replaces length bytes at an offset: with data, or with data and then zeros, so that
// the length stays.
type edit struct {
	offset, length int64
	data           []byte
	zero           bool
}

// grows returns by how many bytes the edit lengthens the file.
func (e edit) grows() int64 {
	if e.zero {
		return 0
	}
	return int64(len(e.data)) - e.length
}

// walker returns the function that walks files of a type.
func walker(mimeType string) func(*scan) error {
	switch mimeType {
	case PNG:
		return (*scan).png
	case JPEG:
		return (*scan).jpeg
	case WebP:
		return (*scan).webp
	case GIF:
		return (*scan).gif
	case MP4, QuickTime:
		return (*scan).mp4
	case WebM:
		return (*scan).webm
	case PDF:
		return (*scan).pdf
	}
	return func(*scan) error { return &TypeError{Found: "of the type " + strconv.Quote(mimeType)} }
}

// Inspect returns the facts of the media file r of size bytes. It reads the structure to
// the end of the file.
//
// It returns a [*TypeError] for a type that is not accepted, a [*InvalidError] for a file
// that is empty, damaged, incomplete, followed by other data or made of too many parts,
// and a [*TooLargeError] for a picture beyond the limits. Other errors come from r, or are that of ctx.
func Inspect(ctx context.Context, r io.ReaderAt, size int64, limits Limits) (Facts, error) {
	if size <= 0 {
		return Facts{}, &InvalidError{Problem: "is empty", Advice: "check the file, and upload it again"}
	}
	s := newScan(ctx, r, size)
	s.limits = limits
	head, err := s.at(0, int(min(size, sniffLength)), "")
	if err != nil {
		return Facts{}, err
	}
	mimeType, err := detect(head)
	if err != nil {
		return Facts{}, err
	}
	facts, edits := Facts{}, int64(0)
	s.edit = func(e edit) error {
		edits++
		return checkEdits(e.offset, edits, limits.MaxMetadata)
	}
	if err := s.walk(mimeType, &facts); err != nil {
		return Facts{}, err
	}
	if err := checkEdits(s.size, edits+int64(len(s.samples)), limits.MaxMetadata); err != nil {
		return Facts{}, nameType(err, mimeType)
	}
	facts.HasMetadata = edits > 0
	if err := s.rejectZip(mimeType); err != nil {
		return Facts{}, err
	}
	return facts, nil
}

// walk fills facts with those of the file, and names the type in errors.
func (s *scan) walk(mimeType string, facts *Facts) error {
	*facts = Facts{MIMEType: mimeType, Orientation: 1}
	s.facts = facts
	err := walker(mimeType)(s)
	if err == nil {
		err = s.ctx.Err() // of a search that takes an error for a file without what it searches
	}
	if err != nil {
		return nameType(err, mimeType)
	}
	if facts.Orientation >= 5 {
		facts.Width, facts.Height = facts.Height, facts.Width
	}
	if mimeType == WebP || mimeType == PNG || mimeType == GIF {
		return s.limits.checkFrames(facts.Width, facts.Height, facts.Frames)
	}
	return nil
}

func nameType(err error, mimeType string) error {
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		invalid.Type = mimeType
	}
	return err
}

// cut removes bytes of the file.
func (s *scan) cut(offset, length int64) error {
	if length == 0 {
		return nil
	}
	return s.edit(edit{offset: offset, length: length})
}

// replace puts data where the file has length bytes at an offset, unless they are equal.
func (s *scan) replace(offset, length int64, data []byte) error {
	if int64(len(data)) == length {
		if old, err := s.at(offset, len(data), ""); err != nil || slices.Equal(old, data) {
			return err
		}
	}
	return s.edit(edit{offset: offset, length: length, data: data})
}

// longZeros is how many bytes of an inspected file are overwritten with zeros without
// reading them. A file has few such parts, which take one piece of a view each.
func (s *scan) longZeros() int64 { return max(64<<10, s.size/8192) }

// clear overwrites bytes of the file with zeros, unless they are zeros.
func (s *scan) clear(offset, length int64) error { return s.overwrite(offset, length, nil) }

// overwrite overwrites length bytes of the file with data and then zeros, unless they are
// equal.
func (s *scan) overwrite(offset, length int64, data []byte) error {
	change := edit{offset: offset, length: length, data: data, zero: true}
	old, err := s.at(offset, len(data), "")
	if err != nil {
		return err
	}
	if !slices.Equal(old, data) || s.inspected && length > s.longZeros() {
		return s.edit(change)
	}
	end, err := s.skipBytes(offset+int64(len(data)), offset+length, "\x00")
	if err != nil || end == offset+length {
		return err
	}
	return s.edit(change)
}

// finish checks the bytes after the end of a picture. Strip removes padding with zeros or
// white space, and blocks of Samsung cameras. Anything else is an InvalidError, because a
// file that is two files at once can pass for a picture here and for a program elsewhere.
func (s *scan) finish(end int64) error {
	last := s.samsungTrailer(end)
	other, err := s.skipBytes(end, last, "\x00\r\n\t ")
	if err != nil {
		return err
	}
	if other < last {
		return s.foreign(other)
	}
	return s.cut(end, s.size-end)
}

// foreign returns the error for data at an offset after the end of the media file.
func (s *scan) foreign(offset int64) error {
	head, err := s.at(offset, int(min(s.size-offset, sniffLength)), "")
	if err != nil {
		return err
	}
	found, _ := describe(head)
	if mimeType, err := detect(head); err == nil {
		found = "another file, a " + formatNames[mimeType]
	}
	if found == "" {
		found = "other data"
	}
	return appended(offset, found)
}
