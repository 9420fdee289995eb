package mediafile

import (
	"bytes"
	"encoding/binary"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	markerSOF0 = 0xc0 // baseline
	markerSOF1 = 0xc1 // extended sequential
	markerSOF2 = 0xc2 // progressive
	markerDHT  = 0xc4
	markerJPG  = 0xc8
	markerDAC  = 0xcc
	markerSOFF = 0xcf // the last of the frame headers
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerDNL  = 0xdc
	markerAPP0 = 0xe0
	markerAPPF = 0xef
	markerCOM  = 0xfe

	markerJPG0  = 0xf0 // reserved for extensions
	markerJPG13 = 0xfd
)

// jpegWalk walks one JPEG picture. A file can have several: cameras append previews.
type jpegWalk struct {
	*scan
	facts       *Facts
	keep        bool // this is the first picture, which Strip keeps
	frame, data bool
	exif        bool
	scans       int
	pixels      int64 // that a decoder computes in each scan
}

// jpeg walks a JPEG file: markers, most of them with a length and data.
func (s *scan) jpeg() error {
	s.facts.Frames = 1
	w := &jpegWalk{scan: s, facts: s.facts, keep: true}
	end, err := w.picture(0)
	if err != nil {
		return err
	}
	return s.jpegTrailer(end)
}

// picture walks from the SOI marker at an offset to the EOI marker, and returns the
// offset after it.
func (w *jpegWalk) picture(off int64) (int64, error) {
	for off += 2; ; {
		marker, next, err := w.marker(off)
		if err != nil {
			return 0, err
		}
		switch {
		case marker == markerEOI:
			if !w.data {
				return 0, damaged(off, "has no image data")
			}
			return next, nil
		case marker == markerSOI || marker < markerSOF0 || (marker >= markerRST0 && marker <= markerRST7):
			return 0, damaged(off, "has the marker %#x in a wrong place", marker)
		}
		if err := w.countParts(1, off); err != nil {
			return 0, err
		}
		length, err := w.uint16BE(next, "a segment header")
		if err != nil {
			return 0, err
		}
		end := next + int64(length)
		if length < 2 {
			return 0, damaged(off, "has a segment of the impossible length %d", length)
		}
		if end > w.size {
			return 0, truncated(w.size, "the segment of byte %d", off)
		}
		if err := w.segment(marker, off, next+2, end); err != nil {
			return 0, err
		}
		if off = end; marker == markerSOS {
			if off, err = w.entropyData(end); err != nil {
				return 0, err
			}
		}
	}
}

// marker reads the marker at an offset, which fill bytes (0xff) may precede.
func (w *jpegWalk) marker(off int64) (marker byte, next int64, err error) {
	b, err := w.at(off, 1, "a marker")
	if err != nil {
		if off == w.size {
			return 0, 0, incomplete(off, "its end marker")
		}
		return 0, 0, err
	}
	if b[0] != 0xff {
		return 0, 0, damaged(off, "has the byte %#x where a marker must be", b[0])
	}
	for {
		if b, err = w.rest(off, "a marker"); err != nil {
			return 0, 0, err
		}
		for i, c := range b {
			if c != 0xff {
				return c, off + int64(i) + 1, nil
			}
		}
		off += int64(len(b))
	}
}

// entropyData skips compressed image data and returns the offset of the next marker. A
// byte 0xff of data is followed by 0; restart markers are part of the data.
func (w *jpegWalk) entropyData(off int64) (int64, error) {
	w.data = true
	for {
		b, err := w.rest(off, "the image data")
		if err != nil {
			return 0, err
		}
		n, ends := skipEntropy(b)
		if off += int64(n); ends {
			return off, nil
		}
		if n < len(b) { // 0xff is the last byte in memory
			if _, err := w.at(off, 2, "the image data"); err != nil {
				return 0, err
			}
		}
	}
}

// skipEntropy returns how many first bytes of b are image data, and whether a marker
// follows them. It stops at a byte 0xff without a next one.
func skipEntropy(b []byte) (n int, ends bool) {
	for {
		i := bytes.IndexByte(b[n:], 0xff)
		if i < 0 {
			return len(b), false
		}
		if n += i; n+1 == len(b) {
			return n, false
		}
		switch next := b[n+1]; {
		case next == 0 || (next >= markerRST0 && next <= markerRST7):
			n += 2
		case next == 0xff:
			n++ // a fill byte
		default:
			return n, true
		}
	}
}

// segment reads the segment of the marker at off, with its data in [start, end).
func (w *jpegWalk) segment(marker byte, off, start, end int64) error {
	switch {
	case marker == markerDHT || marker == markerJPG || marker == markerDAC:
		return nil
	case marker >= markerSOF0 && marker <= markerSOFF:
		return w.frameHeader(marker, off, start, end)
	case marker == markerSOS:
		if !w.frame {
			return damaged(off, "has image data before its frame header")
		}
		w.scans++
		return w.limits.checkScans(off, w.scans, w.pixels)
	case marker == markerDNL:
		return damaged(off, "defines its height after its data, which few viewers can read")
	case marker == markerCOM || (marker >= markerJPG0 && marker <= markerJPG13):
		return w.remove(off, end)
	case marker >= markerAPP0 && marker <= markerAPPF:
		return w.application(marker, off, start, end)
	}
	return nil
}

func (w *jpegWalk) frameHeader(marker byte, off, start, end int64) error {
	if marker > markerSOF2 {
		return damaged(off, "uses a lossless, hierarchical or arithmetic compression (marker %#x), which few viewers can read", marker)
	}
	if w.frame {
		return damaged(off, "has two frame headers")
	}
	b, err := w.at(start, 6, "the frame header")
	if err != nil {
		return err
	}
	height, width, components := int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:])), b[5]
	if end-start != 6+3*int64(components) || (components != 1 && components != 3 && components != 4) {
		return damaged(off, "has %d color components in a frame header of %d bytes", components, end-start)
	}
	if width == 0 || height == 0 {
		return damaged(off, "has the impossible size %d × %d", width, height)
	}
	sampling, err := w.at(start+6, 3*int(components), "the frame header")
	if err != nil {
		return err
	}
	w.frame, w.pixels = true, scanPixels(width, height, sampling)
	w.facts.Width, w.facts.Height = width, height
	return w.limits.checkSize(width, height)
}

// scanPixels returns how many pixels a decoder computes for a picture: it fills up whole
// blocks of 8 × 8, as many as the largest of the sampling factors says (ITU-T T.81, annex
// A.2). sampling has three bytes for each color component.
func scanPixels(width, height int, sampling []byte) int64 {
	across, down := int64(1), int64(1)
	for i := 1; i < len(sampling); i += 3 {
		across, down = max(across, int64(sampling[i]>>4)), max(down, int64(sampling[i]&15))
	}
	round := func(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
	return round(int64(width), 8*across) * round(int64(height), 8*down)
}

// application keeps the segments that colors need, and the orientation. Everything else
// in APPn segments is metadata: EXIF, XMP, IPTC, previews, data of editors.
func (w *jpegWalk) application(marker byte, off, start, end int64) error {
	length := end - start
	switch {
	case marker == markerAPP0 && w.hasPrefix(start, length, "JFIF\x00"):
		return w.jfif(off, start, end)
	case marker == markerAPP0+2 && w.hasPrefix(start, length, iccHeader):
		return w.jpegProfile(start, end)
	case marker == markerAPP0+14 && w.hasPrefix(start, length, "Adobe"):
		return nil // says how colors are encoded
	case marker == markerAPP0+1 && w.hasPrefix(start, length, exifHeader) && !w.exif:
		w.exif = true
		orientation, err := w.readOrientation(start+int64(len(exifHeader)), length-int64(len(exifHeader)))
		if err != nil {
			return err
		}
		w.facts.Orientation = orientation
		if data := minimalEXIF(orientation); data != nil && w.keep {
			return w.replace(off, end-off, jpegSegment(markerAPP0+1, append([]byte(exifHeader), data...)))
		}
	}
	return w.remove(off, end)
}

// exifHeader is the start of an APP1 segment with EXIF data.
const exifHeader = "Exif\x00\x00"

// jfif removes the preview from a JFIF header: its size is in the last two of 14 bytes.
func (w *jpegWalk) jfif(off, start, end int64) error {
	if end-start < 14 {
		return damaged(off, "has a JFIF header of %d bytes instead of 14", end-start)
	}
	b, err := w.at(start, 14, "the JFIF header")
	if err != nil || !w.keep {
		return err
	}
	header := append([]byte(nil), b[:12]...)
	return w.replace(off, end-off, jpegSegment(markerAPP0, append(header, 0, 0)))
}

// remove cuts a segment of the first picture. Further pictures are cut as one.
func (w *jpegWalk) remove(off, end int64) error {
	if !w.keep {
		return nil
	}
	return w.cut(off, end-off)
}

// jpegSegment returns a segment with its marker and length.
func jpegSegment(marker byte, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2))
	return append(b, data...)
}
