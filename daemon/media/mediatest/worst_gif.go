package mediatest

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"slices"
)

func worstGIF() []Worst {
	const kind = "image/gif"
	blocks := func(part string) func(int) []byte {
		return func(size int) []byte {
			still := GIF(4, 4, 1)
			return fill(size, still[:len(still)-1], []byte(part), []byte{0x3b})
		}
	}
	return []Worst{
		{kind, "comments", blocks("\x21\xfe\x00")},
		{kind, "comments between delays", blocks("\x21\xfe\x01a\x00\x21\xf9\x04\x00\x0a\x00\x00\x00")},
		{kind, "blocks of one byte in a comment", func(size int) []byte {
			return blocks("\x21\xfe" + string(bytes.Repeat([]byte("\x01a"), size/2)) + "\x00")(size)
		}},
		{kind, "application data", blocks("\x21\xff\x0bXMP DataXMP\x00")},
		{kind, "loop counts", blocks("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")},
		{kind, "data in blocks of one byte", gifTinyBlocks},
		{kind, "frames of one pixel", func(size int) []byte { return gifFrames(size, 1, 1, 0) }},
		{kind, "frames of one pixel with color tables", func(size int) []byte { return gifFrames(size, 1, 1, 7) }},
		{kind, "frames over each other", func(size int) []byte {
			return gifFrames(size, side(min(180_000, 10*size)), side(min(180_000, 10*size)), 0)
		}},
		{kind, "pixels of one color", func(size int) []byte {
			n := side(flatPixels(size))
			return slices.Concat(gifHeader(n, n), gifFrame(n, n, 0), []byte{0x3b})
		}},
		{kind, "zeros after the end", func(size int) []byte { return fill(size, GIF(4, 4, 1), []byte{0}, nil) }},
		{kind, "ends of archives", blocks("\x21\xfe" + string(subBlocks(zips(240))))},
	}
}

func gifHeader(width, height int) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("GIF89a"), uint16(width))
	b = binary.LittleEndian.AppendUint16(b, uint16(height))
	return append(b, 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
}

// gifFrame returns a frame of one color. Its color table has 2 << table entries, or it has
// none if table is 0.
func gifFrame(width, height, table int) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("\x2c\x00\x00\x00\x00"), uint16(width))
	b = binary.LittleEndian.AppendUint16(b, uint16(height))
	if table > 0 {
		b = append(b, 0x80|byte(table))
		b = append(b, make([]byte, 3*2<<table)...)
	} else {
		b = append(b, 0)
	}
	return slices.Concat(b, []byte{2}, subBlocks(gifData(width*height)))
}

// gifData returns the compressed pixels of one color.
func gifData(pixels int) []byte {
	var out bytes.Buffer
	w := lzw.NewWriter(&out, lzw.LSB, 2)
	row := make([]byte, 1<<16)
	for ; pixels > 0; pixels -= len(row) {
		w.Write(row[:min(pixels, len(row))]) // a bytes.Buffer cannot fail
	}
	w.Close()
	return out.Bytes()
}

// subBlocks returns data in blocks of up to 255 bytes, with the empty last one.
func subBlocks(data []byte) []byte {
	var out []byte
	for block := range slices.Chunk(data, 255) {
		out = append(append(out, byte(len(block))), block...)
	}
	return append(out, 0)
}

func gifFrames(size, width, height, table int) []byte {
	frame := gifFrame(width, height, table)
	most := min(5000, 200_000_000/(width*height))
	return fill(min(size, most*len(frame)), gifHeader(width, height), frame, []byte{0x3b})
}

// gifTinyBlocks returns a picture whose compressed pixels have a block for each byte.
func gifTinyBlocks(size int) []byte {
	data := gifData(flatPixels(size))
	n := side(flatPixels(size))
	var blocks []byte
	for i := range size / 2 {
		blocks = append(blocks, 1, data[i%len(data)])
	}
	return slices.Concat(gifHeader(n, n), gifFrame(n, n, 0)[:11], blocks, []byte{0, 0x3b})
}
