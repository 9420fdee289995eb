package mediafile

import (
	"encoding/binary"
	"time"
)

// Blocks of GIF (GIF89a, appendix A).
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b

	gifGraphicControl = 0xf9
	gifApplication    = 0xff
)

// gifKept are the application extensions that Strip keeps: two for the number of loops,
// and one for a color profile.
var gifKept = map[string]bool{"NETSCAPE2.0": true, "ANIMEXTS1.0": true, "ICCRGBG1012": true}

// gif walks a GIF file: a header, color tables, and blocks up to the trailer.
func (s *scan) gif() error {
	b, err := s.at(6, 7, "the header")
	if err != nil {
		return err
	}
	s.facts.Width, s.facts.Height = int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
	if s.facts.Width == 0 || s.facts.Height == 0 {
		return damaged(6, "has the impossible size %d × %d", s.facts.Width, s.facts.Height)
	}
	if err := s.limits.checkSize(s.facts.Width, s.facts.Height); err != nil {
		return err
	}
	off := 13 + colorTable(b[4])
	for {
		if err := s.countParts(1, off); err != nil {
			return err
		}
		b, err := s.at(off, 1, "a block")
		if off >= s.size {
			return incomplete(s.size, "its end marker")
		}
		if err != nil {
			return err
		}
		switch block := b[0]; block {
		case gifExtension:
			off, err = s.gifExtension(off)
		case gifImage:
			off, err = s.gifFrame(off)
		case gifTrailer:
			if s.facts.Frames == 0 {
				return damaged(off, "has no image data")
			}
			s.facts.Animated = s.facts.Frames > 1
			switch {
			case !s.facts.Animated:
				s.facts.Duration = 0
			case s.facts.Duration == 0: // programs show such frames for this long
				s.facts.Duration = time.Duration(s.facts.Frames) * 100 * time.Millisecond
			}
			return s.finish(off + 1)
		default:
			return damaged(off, "has a block of the unknown type %#x", block)
		}
		if err != nil {
			return err
		}
	}
}

// colorTable returns the length in bytes of the color table that the flags announce.
func colorTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifFrame reads an image descriptor, its color table and its compressed data.
func (s *scan) gifFrame(off int64) (int64, error) {
	b, err := s.at(off, 10, "a frame header")
	if err != nil {
		return 0, err
	}
	side := func(i int) int { return int(binary.LittleEndian.Uint16(b[i:])) }
	width, height := side(5), side(7)
	if width == 0 || height == 0 || side(1)+width > s.facts.Width || side(3)+height > s.facts.Height {
		return 0, damaged(off, "has a frame of %d × %d pixels that exceeds its canvas of %d × %d", width, height, s.facts.Width, s.facts.Height)
	}
	s.facts.Frames++
	if err := s.limits.checkFrames(s.facts.Width, s.facts.Height, s.facts.Frames); err != nil {
		return 0, err
	}
	data := off + 10 + colorTable(b[9])
	codeSize, err := s.at(data, 1, "the data of a frame")
	if err != nil {
		return 0, err
	}
	if codeSize[0] < 2 || codeSize[0] > 8 {
		return 0, damaged(data, "has a frame with the invalid code size %d", codeSize[0])
	}
	end, err := s.gifBlocks(data+1, "the data of a frame")
	if err == nil && end == data+2 {
		return 0, damaged(data, "has a frame without data")
	}
	return end, err
}

// gifBlocks skips data sub-blocks, each with its length in the first byte, and returns
// the offset after the empty last one.
func (s *scan) gifBlocks(off int64, part string) (int64, error) {
	for {
		b, err := s.rest(off, part)
		if err != nil {
			return 0, err
		}
		blocks, i, last := int64(0), 0, false
		for i < len(b) && !last {
			last = b[i] == 0
			i += 1 + int(b[i])
			blocks++
		}
		if off += int64(i); off > s.size {
			return 0, truncated(s.size, "%s", part)
		}
		if err := s.countParts(blocks, off); last || err != nil {
			return off, err
		}
	}
}

// gifExtension reads delays and transparency, and removes comments, text and the data of
// applications.
func (s *scan) gifExtension(off int64) (int64, error) {
	b, err := s.at(off, 3, "an extension")
	if err != nil {
		return 0, err
	}
	label, length := b[1], int(b[2])
	end, err := s.gifBlocks(off+2, "an extension")
	if err != nil {
		return 0, err
	}
	switch {
	case label == gifGraphicControl && length == 4:
		if b, err = s.at(off+3, 4, "an extension"); err != nil {
			return 0, err
		}
		s.facts.Alpha = s.facts.Alpha || b[0]&1 != 0
		s.facts.Duration += time.Duration(binary.LittleEndian.Uint16(b[1:])) * 10 * time.Millisecond
		return end, nil
	case label == gifGraphicControl:
		return 0, damaged(off, "has a graphic control extension of %d bytes instead of 4", length)
	case label == gifApplication && length == 11:
		if b, err = s.at(off+3, 11, "an extension"); err != nil || gifKept[string(b)] {
			return end, err
		}
	}
	return end, s.cut(off, end-off)
}
