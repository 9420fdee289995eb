package mediafile

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// pngKept are the chunks that Strip keeps: those that pixels, colors, resolution and
// animation need (PNG Specification, sections 11.2 and 11.3). Text, times, EXIF data and
// private chunks are removed.
var pngKept = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true,
	"cHRM": true, "gAMA": true, "iCCP": true, "sBIT": true, "sRGB": true, "cICP": true, "mDCV": true, "cLLI": true,
	"bKGD": true, "hIST": true, "pHYs": true, "sPLT": true,
	"acTL": true, "fcTL": true, "fdAT": true,
}

// pngWalk is what the chunks so far say about the rest.
type pngWalk struct {
	*scan
	palette, data, dataEnded, exif bool
	colorType                      byte
}

// png walks a PNG file: a signature, and chunks of a length, a type, data and a checksum.
func (s *scan) png() error {
	w := &pngWalk{scan: s}
	for off := int64(8); ; {
		head, err := s.at(off, 8, "a chunk header")
		if err != nil {
			if off == s.size {
				return incomplete(off, "the chunk IEND")
			}
			return err
		}
		if err := s.countParts(1, off); err != nil {
			return err
		}
		length, name := int64(binary.BigEndian.Uint32(head)), partName(head[4:8])
		if !isChunkName(name) {
			return damaged(off, "has a chunk with the invalid name %q", name)
		}
		if (off == 8) != (name == "IHDR") {
			return damaged(off, "has the chunk %s where IHDR or another chunk must be", name)
		}
		if length > s.size-off-12 {
			return truncated(s.size, "the chunk %s of byte %d", name, off)
		}
		if err := s.pngChecksum(off+4, length+4, name); err != nil {
			return err
		}
		if err := w.chunk(name, off, length); err != nil {
			return err
		}
		off += 12 + length
		if name == "IEND" {
			return s.finish(off)
		}
	}
}

func isChunkName(name string) bool {
	for _, c := range []byte(name) {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// pngChecksum checks the CRC after the name and data of a chunk.
func (s *scan) pngChecksum(off, length int64, name string) error {
	if s.inspected {
		return nil
	}
	sum, end := uint32(0), off+length
	for pos := off; pos < end; {
		b, err := s.rest(pos, "a chunk")
		if err != nil {
			return err
		}
		b = b[:min(int64(len(b)), end-pos)]
		sum = crc32.Update(sum, crc32.IEEETable, b)
		pos += int64(len(b))
	}
	stored, err := s.named(end, 4, "chunk", name)
	if err == nil && binary.BigEndian.Uint32(stored) != sum {
		return damaged(off-4, "has a chunk %s with a wrong checksum", name)
	}
	return err
}

// chunk takes the facts from a chunk whose checksum is right.
func (w *pngWalk) chunk(name string, off, length int64) error {
	f := w.facts
	w.dataEnded = w.dataEnded || (w.data && name != "IDAT")
	switch name {
	case "IHDR":
		return w.header(off+8, length)
	case "PLTE":
		if length == 0 || length%3 != 0 || length > 3*256 {
			return damaged(off, "has a color palette of %d bytes", length)
		}
		w.palette = true
	case "tRNS":
		f.Alpha = true
	case "IDAT":
		if w.dataEnded {
			return damaged(off, "has image data in two places")
		}
		if w.colorType == 3 && !w.palette {
			return damaged(off, "has no color palette")
		}
		w.data = w.data || length > 0
	case "IEND":
		if length != 0 || !w.data {
			return damaged(off, "has no image data")
		}
		f.Frames = max(f.Frames, 1)
		f.Animated = f.Frames > 1
	case "acTL":
		if w.data {
			return damaged(off, "announces an animation after its first frame")
		}
	case "fcTL":
		return w.frame(off+8, length)
	case "eXIf":
		return w.exifChunk(off, length)
	case "iCCP":
		return w.reportProfile(0, off+8, length)
	default:
		if name[0] >= 'A' && name[0] <= 'Z' {
			return damaged(off, "has the unknown critical chunk %s", name)
		}
	}
	if !pngKept[name] {
		return w.cut(off, length+12)
	}
	return nil
}

// pngDepths are the bit depths that each color type allows.
var pngDepths = map[byte]string{0: "\x01\x02\x04\x08\x10", 2: "\x08\x10", 3: "\x01\x02\x04\x08", 4: "\x08\x10", 6: "\x08\x10"}

func (w *pngWalk) header(off, length int64) error {
	b, err := w.at(off, 13, "the chunk IHDR")
	if err != nil || length != 13 {
		return damaged(off, "has a header of %d bytes instead of 13", length)
	}
	width, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if width == 0 || height == 0 || width > 1<<31-1 || height > 1<<31-1 {
		return damaged(off, "has the impossible size %d × %d", width, height)
	}
	depth, colorType := b[8], b[9]
	valid := b[10] == 0 && b[11] == 0 && b[12] <= 1
	known := false
	for _, d := range []byte(pngDepths[colorType]) {
		known = known || d == depth
	}
	if !valid || !known {
		return damaged(off, "has a header with the unknown color type %d, bit depth %d or method", colorType, depth)
	}
	w.colorType = colorType
	w.facts.Width, w.facts.Height = int(width), int(height)
	w.facts.Alpha = colorType == 4 || colorType == 6
	return w.limits.checkSize(int(width), int(height))
}

// frame reads the frame control chunk of an animation: its delay is a fraction of a
// second.
func (w *pngWalk) frame(off, length int64) error {
	b, err := w.at(off, 26, "the chunk fcTL")
	if err != nil || length != 26 {
		return damaged(off, "has a frame header of %d bytes instead of 26", length)
	}
	numerator, denominator := time.Duration(binary.BigEndian.Uint16(b[20:])), time.Duration(binary.BigEndian.Uint16(b[22:]))
	if denominator == 0 {
		denominator = 100
	}
	w.facts.Frames++
	w.facts.Duration += numerator * time.Second / denominator
	return w.limits.checkFrames(w.facts.Width, w.facts.Height, w.facts.Frames)
}

// exifChunk keeps the orientation of the first EXIF chunk.
func (w *pngWalk) exifChunk(off, length int64) error {
	if w.exif {
		return w.cut(off, length+12)
	}
	w.exif = true
	orientation, err := w.readOrientation(off+8, length)
	if err != nil {
		return err
	}
	w.facts.Orientation = orientation
	data := minimalEXIF(orientation)
	if data == nil {
		return w.cut(off, length+12)
	}
	return w.replace(off, length+12, pngChunk("eXIf", data))
}

// pngChunk returns a chunk with its length and checksum.
func pngChunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
