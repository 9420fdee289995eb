package mediafile

import (
	"encoding/binary"
	"errors"
)

// jpegTrailer checks what follows the first picture of a JPEG file. Phones append data
// that Strip removes: further pictures (CIPA DC-007, Multi-Picture Format: previews and
// HDR gain maps), a video (Motion Photo), or blocks that end with "SEFT" (Samsung). Each of
// them is walked to its end, and nothing else may follow.
func (s *scan) jpegTrailer(end int64) error {
	last := s.samsungTrailer(end)
	for pos := end; ; {
		next, err := s.skipBytes(pos, last, "\x00\r\n\t ")
		if err != nil {
			return err
		}
		switch {
		case next == last:
			return s.cut(end, s.size-end)
		case s.hasPrefix(next, last-next, "\xff\xd8\xff"):
			w := &jpegWalk{scan: s, facts: &Facts{}}
			if pos, err = w.picture(next); err != nil {
				return err
			}
		case s.hasPrefix(next, last-next, "ftyp"):
			return s.motionPhoto(end, next-4)
		case s.hasPrefix(next+1, last-next-1, "ftyp"):
			return s.motionPhoto(end, next-3)
		default:
			return s.foreign(next)
		}
	}
}

// motionPhoto walks the MP4 video at an offset, up to the end of the file. The picture
// before it ends at end.
func (s *scan) motionPhoto(end, offset int64) error {
	if offset < end {
		return s.foreign(end)
	}
	inner := newScan(s.ctx, shifted{s, offset}, s.size-offset)
	inner.inspected, inner.edit = s.inspected, func(edit) error { return nil }
	err := inner.walk(MP4, &Facts{})
	if _, damaged := errors.AsType[*InvalidError](err); damaged && !errors.Is(err, ErrTooManyParts) {
		return appended(offset, "a damaged video or other data")
	}
	if err != nil {
		return err
	}
	return s.cut(end, s.size-end)
}

// shifted reads a file from an offset on.
type shifted struct {
	s      *scan
	offset int64
}

func (f shifted) ReadAt(p []byte, off int64) (int, error) { return f.s.r.ReadAt(p, off+f.offset) }

// samsungTrailer returns where the blocks of Samsung cameras start, not before offset, or
// the size of the file if it has none. Such a file ends with a directory: "SEFH", a
// version, the number of blocks, for each block its type, its distance before the
// directory and its length; then the length of the directory and "SEFT". Numbers have the
// low byte first.
func (s *scan) samsungTrailer(offset int64) int64 {
	tail, err := s.at(s.size-min(8, s.size-offset), 8, "")
	if err != nil || string(tail[4:]) != "SEFT" {
		return s.size
	}
	directory := s.size - 8 - int64(binary.LittleEndian.Uint32(tail))
	head, err := s.at(directory, 12, "")
	if err != nil || directory < offset || string(head[:4]) != "SEFH" {
		return s.size
	}
	count, first := int64(binary.LittleEndian.Uint32(head[8:])), directory
	if count == 0 || directory+12+12*count != s.size-8 {
		return s.size
	}
	for i := range count {
		entry, err := s.at(directory+12+12*i, 12, "")
		if err != nil {
			return s.size
		}
		start := directory - int64(binary.LittleEndian.Uint32(entry[4:]))
		if start < offset || start+int64(binary.LittleEndian.Uint32(entry[8:])) > directory {
			return s.size
		}
		first = min(first, start)
	}
	return first
}
