package mediatest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"
)

func worstPNG() []Worst {
	const kind = "image/png"
	chunks := func(data ...[]byte) func(int) []byte {
		return func(size int) []byte {
			still := PNG(4, 4)
			return fill(size, still[:8+12+13], slices.Concat(data...), still[8+12+13:])
		}
	}
	return []Worst{
		{kind, "text chunks", chunks(pngChunk("tEXt", nil))},
		{kind, "text chunks between palettes", chunks(pngChunk("tEXt", []byte("a")), pngChunk("sPLT", nil))},
		{kind, "chunks that are kept", chunks(pngChunk("sPLT", nil))},
		{kind, "data in tiny chunks", tinyData},
		{kind, "EXIF directories", exifChunks},
		{kind, "color profiles", chunks(pngChunk("iCCP", append([]byte("p\x00\x00"), deflate(ICCProfile())...)))},
		{kind, "a color profile that expands", expandingProfile},
		{kind, "frames of one pixel", tinyFrames},
		{kind, "pixels of 16 bits", func(size int) []byte { return flatPNG(size, 6, 16, 0) }},
		{kind, "interlaced pixels", func(size int) []byte { return flatPNG(size, 6, 8, 1) }},
		{kind, "pixels in one column", columnPNG},
		{kind, "zeros after the end", func(size int) []byte { return fill(size, PNG(4, 4), []byte{0}, nil) }},
		{kind, "ends of archives", func(size int) []byte {
			return insertPNG(PNG(4, 4), pngChunk("tEXt", zips(size)))
		}},
	}
}

// tinyData returns a picture whose compressed pixels have a chunk for each byte.
func tinyData(size int) []byte {
	still := PNG(side(size/40), side(size/40))
	out := slices.Clone(still[:8+12+13])
	for _, b := range pngData(still) {
		out = append(out, pngChunk("IDAT", []byte{b})...)
	}
	return append(out, pngChunk("IEND", nil)...)
}

func exifChunks(size int) []byte {
	still := PNG(4, 4)
	part := pngChunk("eXIf", directory(min(size, 65535*12)))
	return fill(size, still[:8+12+13], part, still[8+12+13:])
}

// expandingProfile returns a picture with compressed zeros as its color profile.
func expandingProfile(size int) []byte {
	return insertPNG(PNG(64, 64), pngChunk("iCCP", append([]byte("p\x00\x00"), compressedZeros(min(1000*size, 64<<20), size)...)))
}

// compressedZeros returns n zeros compressed, cut after size bytes.
func compressedZeros(n, size int) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	block := make([]byte, 1<<20)
	for ; n > 0 && b.Len() < size; n -= len(block) {
		w.Write(block[:min(n, len(block))]) // a bytes.Buffer cannot fail
	}
	w.Close()
	return b.Bytes()[:min(size, b.Len())]
}

// tinyFrames returns an animation of one pixel.
func tinyFrames(size int) []byte { return APNG(1, 1, max(2, min(5000, size/70))) }

// flatPNG returns a picture of one color, with as many pixels as are accepted or as
// compress to size bytes.
func flatPNG(size int, colorType, depth, interlaced byte) []byte {
	channels := map[byte]int{0: 1, 2: 3, 6: 4}[colorType] * int(depth) / 8
	n := side(flatPixels(size))
	return rawPNG(n, n, colorType, depth, interlaced, n*(n*channels)+8*n)
}

// columnPNG returns a picture that is one pixel wide and as high as is accepted.
func columnPNG(size int) []byte {
	n := flatPixels(size)
	return rawPNG(1, n, 0, 8, 0, 2*n)
}

// rawPNG returns a picture whose compressed data is zeros.
func rawPNG(width, height int, colorType, depth, interlaced byte, zeros int) []byte {
	u32 := binary.BigEndian.AppendUint32
	header := append(u32(u32(nil, uint32(width)), uint32(height)), depth, colorType, 0, 0, interlaced)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", header),
		pngChunk("IDAT", compressedZeros(zeros, 1<<30)), pngChunk("IEND", nil))
}
