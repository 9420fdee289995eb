package mediafile

import (
	"encoding/binary"
	"time"
)

// Flags of the VP8X chunk (RFC 9649, section 2.7.1).
const (
	webpAnimation = 0x02
	webpXMP       = 0x04
	webpEXIF      = 0x08
	webpAlpha     = 0x10
)

// webpKept are the chunks that Strip keeps. Unknown chunks are removed.
var webpKept = map[string]bool{
	"VP8X": true, "VP8 ": true, "VP8L": true, "ALPH": true, "ANIM": true, "ANMF": true, "ICCP": true,
}

// webpWalk is what the chunks so far say about the rest.
type webpWalk struct {
	*scan
	extended, animated, image, exif bool
}

// webp walks a WebP file: a RIFF header, and chunks of a name, a length and data.
func (s *scan) webp() error {
	b, err := s.at(4, 8, "the RIFF header")
	if err != nil {
		return err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b))
	if end > s.size {
		return truncated(s.size, "a file of %d bytes", end)
	}
	if end%2 != 0 || end < 12 {
		return damaged(4, "has the impossible length %d", end)
	}
	if s.total != nil {
		size := binary.LittleEndian.AppendUint32(nil, uint32(s.size+s.total.grown-8))
		if err := s.replace(4, 4, size); err != nil {
			return err
		}
	}
	w := &webpWalk{scan: s}
	if err := s.riffChunks(12, end, w.chunk); err != nil {
		return err
	}
	if !w.image {
		return incomplete(end, "image data")
	}
	if !w.animated {
		s.facts.Frames = 1
	}
	s.facts.Animated = s.facts.Frames > 1
	return s.finish(end)
}

// riffChunks calls read for each chunk in [off, end): with its name, its offset, and the
// offset and length of its data. A chunk of an odd length is padded.
func (s *scan) riffChunks(off, end int64, read func(name string, off, data, length int64) error) error {
	for off < end {
		head, err := s.at(off, 8, "a chunk header")
		if err != nil {
			return err
		}
		if err := s.countParts(1, off); err != nil {
			return err
		}
		name, length := partName(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		padded := length + length%2
		if padded > end-off-8 {
			return damaged(off, "has a chunk %q of %d bytes that exceeds the space for it", name, length)
		}
		if err := read(name, off, off+8, length); err != nil {
			return err
		}
		off += 8 + padded
	}
	return nil
}

func (w *webpWalk) chunk(name string, off, data, length int64) error {
	padded := length + length%2
	if off == 12 && name != "VP8 " && name != "VP8L" && name != "VP8X" {
		return damaged(off, "starts with the chunk %q", name)
	}
	switch name {
	case "VP8X":
		return w.header(off, data, length)
	case "VP8 ", "VP8L":
		if w.image || w.animated {
			return damaged(off, "has two pictures, but is not an animation")
		}
		return w.picture(name, data, length)
	case "ANMF":
		if !w.animated {
			return damaged(off, "has frames, but is not an animation")
		}
		return w.frame(off, data, length)
	case "EXIF":
		return w.exifChunk(off, data, length)
	case "ICCP":
		if err := w.reportProfile(0, data, length); err != nil {
			return err
		}
	}
	if !webpKept[name] || !w.extended {
		return w.cut(off, 8+padded)
	}
	return nil
}

// header reads the VP8X chunk: flags, and the size of the canvas less one, as numbers of
// three bytes.
func (w *webpWalk) header(off, data, length int64) error {
	if off != 12 || length != 10 {
		return damaged(off, "has a header of %d bytes in a wrong place", length)
	}
	b, err := w.at(data, 10, "the chunk VP8X")
	if err != nil {
		return err
	}
	flags := b[0]
	w.extended, w.animated = true, flags&webpAnimation != 0
	w.facts.Alpha = flags&webpAlpha != 0
	w.facts.Width, w.facts.Height = 1+uint24(b[4:]), 1+uint24(b[7:])
	if err := w.limits.checkSize(w.facts.Width, w.facts.Height); err != nil {
		return err
	}
	if w.total != nil {
		flags &^= webpEXIF | webpXMP
		if w.total.facts.Orientation > 1 {
			flags |= webpEXIF
		}
		return w.replace(data, 1, []byte{flags})
	}
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// picture reads the size of lossy (RFC 6386, section 9.1) or lossless data (RFC 9649,
// section 3.4).
func (w *webpWalk) picture(name string, data, length int64) error {
	width, height, err := w.pictureSize(name, data, length)
	if err != nil {
		return err
	}
	if w.extended && !w.animated && (width != w.facts.Width || height != w.facts.Height) {
		return damaged(data, "has a picture of %d × %d pixels on a canvas of %d × %d", width, height, w.facts.Width, w.facts.Height)
	}
	w.image = true
	if w.animated {
		return nil
	}
	w.facts.Width, w.facts.Height = width, height
	return w.limits.checkSize(width, height)
}

func (w *webpWalk) pictureSize(name string, data, length int64) (width, height int, err error) {
	b, err := w.at(data, int(min(length, 10)), "the image data")
	if err != nil {
		return 0, 0, err
	}
	switch {
	case name == "VP8L" && len(b) >= 5 && b[0] == 0x2f && b[4]>>5 == 0:
		bits := binary.LittleEndian.Uint32(b[1:])
		w.facts.Alpha = w.facts.Alpha || (!w.extended && bits>>28&1 != 0)
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case name == "VP8 " && len(b) == 10 && b[0]&1 == 0 && b[3] == 0x9d && b[4] == 0x01 && b[5] == 0x2a:
		firstPartition := int64(uint24(b) >> 5)
		width, height = int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff)
		if 10+firstPartition <= length && width > 0 && height > 0 {
			return width, height, nil
		}
	}
	return 0, 0, damaged(data, "has an invalid header of its %q data", name)
}

// frame reads an ANMF chunk: the position and size of the frame, its delay in
// milliseconds, and the chunks of its picture.
func (w *webpWalk) frame(off, data, length int64) error {
	if length < 24 {
		return damaged(off, "has a frame of %d bytes", length)
	}
	b, err := w.at(data, 16, "a frame")
	if err != nil {
		return err
	}
	x, y, width, height := 2*uint24(b), 2*uint24(b[3:]), 1+uint24(b[6:]), 1+uint24(b[9:])
	if x+width > w.facts.Width || y+height > w.facts.Height {
		return damaged(off, "has a frame of %d × %d pixels that exceeds its canvas of %d × %d", width, height, w.facts.Width, w.facts.Height)
	}
	w.facts.Frames++
	w.facts.Duration += time.Duration(uint24(b[12:])) * time.Millisecond
	if err := w.limits.checkFrames(w.facts.Width, w.facts.Height, w.facts.Frames); err != nil {
		return err
	}
	pictures := 0
	err = w.riffChunks(data+16, data+length, func(name string, off, data, length int64) error {
		switch name {
		case "VP8 ", "VP8L":
			pictures++
			gotWidth, gotHeight, err := w.pictureSize(name, data, length)
			if err == nil && (gotWidth != width || gotHeight != height) {
				err = damaged(off, "has a frame of %d × %d pixels instead of %d × %d", gotWidth, gotHeight, width, height)
			}
			return err
		case "ALPH":
			return nil
		}
		return w.clear(data, length) // a removed chunk would change the length of the frame
	})
	if err == nil && pictures != 1 {
		return damaged(off, "has a frame with %d pictures", pictures)
	}
	w.image = true
	return err
}

// exifChunk keeps the orientation of the first EXIF chunk. Some programs write it with
// the header of JPEG.
func (w *webpWalk) exifChunk(off, data, length int64) error {
	padded := length + length%2
	if w.exif || !w.extended {
		return w.cut(off, 8+padded)
	}
	w.exif = true
	start := data
	if w.hasPrefix(data, length, exifHeader) {
		start += int64(len(exifHeader))
	}
	orientation, err := w.readOrientation(start, data+length-start)
	if err != nil {
		return err
	}
	w.facts.Orientation = orientation
	minimal := minimalEXIF(orientation)
	if minimal == nil {
		return w.cut(off, 8+padded)
	}
	chunk := binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(minimal)))
	return w.replace(off, 8+padded, append(chunk, minimal...))
}
