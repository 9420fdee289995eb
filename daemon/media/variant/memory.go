package variant

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// largeMemory is the memory of a conversion, in bytes, after which it is returned to the
// system at once. The collector would keep it until the heap has doubled.
const largeMemory = 64 << 20

// memoryFor returns about how many bytes a conversion needs at most at a time: those of
// the decoder, or the decoded, the scaled and the rotated picture.
func memoryFor(src io.ReaderAt, size int64, facts mediafile.Facts, t Target) int64 {
	decoder, decoded := decoderMemory(src, size, facts)
	width, height := t.bound(facts.Width, facts.Height)
	scaled := 4 * int64(width) * int64(height)
	if width == facts.Width && height == facts.Height {
		scaled = 0 // it is scaled only once the decoded picture turned out to be too large
	}
	rotated := int64(0)
	if facts.Orientation > 1 {
		rotated = 4 * int64(width) * int64(height)
	}
	return max(decoder, decoded+scaled+rotated)
}

// decoderMemory returns how many bytes the decoder of a picture needs, including the
// decoded picture, and how many that picture has.
func decoderMemory(src io.ReaderAt, size int64, facts mediafile.Facts) (decoder, decoded int64) {
	n := facts.Pixels()
	switch facts.MIMEType {
	case mediafile.JPEG:
		return jpegMemory(src, size, n)
	case mediafile.PNG:
		var header [29]byte // up to the method of interlacing
		if _, err := src.ReadAt(header[:], 0); err != nil {
			return 16 * n, 8 * n
		}
		decoded = 4 * n
		if header[24] == 16 { // bits for each color
			decoded = 8 * n
		}
		if decoder = decoded; header[28] != 0 {
			decoder *= 2 // each pass is a picture, too
		}
		return decoder, decoded
	case mediafile.GIF:
		return 5 * n, 4 * n
	}
	return 8 * n, 4 * n // a lossless WebP picture
}

// jpegMemory is decoderMemory for a JPEG picture of n pixels (ITU-T T.81, section B.2.2).
func jpegMemory(src io.ReaderAt, size, n int64) (decoder, decoded int64) {
	rgb := false
	r := bufio.NewReaderSize(io.NewSectionReader(src, 2, size-2), 64<<10)
	for {
		b, err := r.Peek(19)
		if err != nil || b[0] != 0xFF {
			break
		}
		skip := 2 + int(binary.BigEndian.Uint16(b[2:]))
		switch marker := b[1]; marker {
		case 0xFF: // a fill byte
			skip = 1
		case 0xEE: // APP14 of Adobe, with the transformation of colors
			rgb = rgb || b[15] == 0
		case 0xC0, 0xC1, 0xC2:
			decoded = jpegSamples([19]byte(b))
			decoder = decoded
			if marker == 0xC2 {
				decoder += 4 * decoded // the coefficients of all scans
			}
			if rgb || b[9] == 4 || b[10] == 'R' { // it is converted to RGB or CMYK
				return decoder + 4*n, decoded + 4*n
			}
			return decoder, decoded
		}
		if _, err := r.Discard(skip); err != nil {
			break
		}
	}
	return 24 * n, 8 * n // the largest one
}

// jpegSamples returns the number of samples of a picture from the start of its frame
// header, with those that fill the last blocks.
func jpegSamples(b [19]byte) int64 {
	height, width, components := int64(binary.BigEndian.Uint16(b[5:])), int64(binary.BigEndian.Uint16(b[7:])), min(int(b[9]), 4)
	widest, highest, each := int64(1), int64(1), int64(0)
	for i := range min(components, 3) { // the header of a fourth component is that of the first one
		sampling := int64(b[11+3*i])
		h, v := max(sampling>>4, 1), max(sampling&0xF, 1)
		widest, highest, each = max(widest, h), max(highest, v), each+h*v
	}
	if components == 4 {
		each += int64(max(b[11]>>4, 1)) * int64(max(b[11]&0xF, 1))
	}
	if components == 1 {
		each, widest, highest = 1, 1, 1
	}
	columns, rows := (width+8*widest-1)/(8*widest), (height+8*highest-1)/(8*highest)
	return 64 * each * columns * rows
}
