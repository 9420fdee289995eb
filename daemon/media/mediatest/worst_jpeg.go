package mediatest

import (
	"bytes"
	"encoding/binary"
	"slices"
)

func worstJPEG() []Worst {
	const kind = "image/jpeg"
	start := func(part string) func(int) []byte { // after the start of the file
		return func(size int) []byte {
			still := JPEG(8, 8)
			return fill(size, still[:2], []byte(part), still[2:])
		}
	}
	after := func(part []byte) func(int) []byte { // after the end of the picture
		return func(size int) []byte { return fill(size, JPEG(8, 8), part, nil) }
	}
	picture := []byte("\xff\xd8\xff\xda\x00\x02\xff\xd9")
	return []Worst{
		{kind, "comments", start("\xff\xfe\x00\x02")},
		{kind, "comments between tables", start("\xff\xfe\x00\x03a\xff\xdd\x00\x04\x00\x00")},
		{kind, "fill bytes", start("\xff")},
		{kind, "empty scans", emptyScans},
		{kind, "scans of ordinary data", fullScans},
		{kind, "restart markers", restarts},
		{kind, "Huffman tables", start(string(huffman))},
		{kind, "parts of color profiles", start("\xff\xe2\x00\x10ICC_PROFILE\x00\x01\xff")},
		{kind, "EXIF directories", start(exifSegment())},
		{kind, "pictures after the end", after(picture)},
		{kind, "blocks of a camera", samsungBlocks},
		{kind, "boxes of a motion photo", motionPhoto},
		{kind, "zeros after the end", after([]byte{0})},
		{kind, "ends of archives", func(size int) []byte { return fill(size, JPEG(8, 8), jpegComment(zips(60_000)), picture) }},
	}
}

func jpegSegment(marker byte, data ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
}

func jpegComment(data []byte) []byte {
	return slices.Concat([]byte("\xff\xd8"), jpegSegment(0xfe, data...), []byte("\xff\xda\x00\x02\xff\xd9"))
}

// huffman is a table of alternating coefficients in which the code 0 ends 16,384 blocks
// and more.
var huffman = jpegSegment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), 0xe0)...)

func exifSegment() string {
	return string(jpegSegment(0xe1, append([]byte("Exif\x00\x00"), directory(65_000)...)...))
}

// progressive returns the start of a gray progressive picture, up to its first scan.
func progressive(side int) []byte {
	return slices.Concat([]byte("\xff\xd8"), jpegSegment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...),
		jpegSegment(0xc2, 8, byte(side>>8), byte(side), byte(side>>8), byte(side), 1, 1, 0x11, 0), huffman)
}

// emptyScans returns a progressive picture with scans that change no coefficient. Each of
// them visits all blocks of up to 18 megapixels.
func emptyScans(size int) []byte {
	n := min(4200, 40*side(size/16))
	blocks := ((n + 7) / 8) * ((n + 7) / 8)
	scan := jpegSegment(0xda, 1, 1, 0, 1, 0x3f, 0)
	var bits bitString
	for ; blocks > 0; blocks -= 16384 + 0x2aaa {
		bits.write(0, 1)
		bits.write(0x2aaa, 14)
	}
	return fill(size, progressive(n), append(scan, bits.bytes()...), []byte("\xff\xd9"))
}

// fullScans returns a progressive picture whose scans end each block with a code of its
// own.
func fullScans(size int) []byte {
	table := jpegSegment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), 0)...)
	scan := append(jpegSegment(0xda, 1, 1, 0, 1, 0x3f, 0), make([]byte, 8*8/8)...)
	return fill(size, append(progressive(64), table...), scan, []byte("\xff\xd9"))
}

// restarts returns a picture of empty blocks with a restart marker after each.
func restarts(size int) []byte {
	width, rows := min(65_528, 8*side(size/3)), 1
	for width/8*(rows+1)*3 <= size && width*8*(rows+1) < 49_000_000 {
		rows++
	}
	dc := jpegSegment(0xc4, append(append([]byte{0, 1}, make([]byte, 15)...), 0)...)
	ac := jpegSegment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), 0)...)
	height := 8 * rows
	out := slices.Concat([]byte("\xff\xd8"), jpegSegment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...),
		jpegSegment(0xc0, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 1, 1, 0x11, 0), dc, ac,
		jpegSegment(0xdd, 0, 1), jpegSegment(0xda, 1, 1, 0, 0, 0x3f, 0))
	for i := range width / 8 * rows {
		out = append(out, 0x3f, 0xff, 0xd0|byte(i%8))
	}
	return append(out[:len(out)-2], 0xff, 0xd9)
}

// samsungBlocks returns a picture with a directory of blocks, all at the same place.
func samsungBlocks(size int) []byte {
	n := max(1, size/12)
	order := binary.LittleEndian
	directory := order.AppendUint32([]byte("SEFH\x6a\x00\x00\x00"), uint32(n))
	entry := order.AppendUint32(order.AppendUint32([]byte("\x00\x00\x01\x0a"), 4), 4)
	directory = append(directory, bytes.Repeat(entry, n)...)
	out := slices.Concat(JPEG(8, 8), []byte("data"), directory)
	return append(order.AppendUint32(out, uint32(len(directory))), "SEFT"...)
}

// motionPhoto returns a picture with a video of small boxes.
func motionPhoto(size int) []byte { return append(JPEG(8, 8), unknownBoxes("isom", size)...) }

// bitString collects bits, the highest first, with a zero after each byte 0xff.
type bitString struct {
	out   []byte
	value uint32
	n     int
}

func (b *bitString) write(value uint32, n int) {
	for i := n - 1; i >= 0; i-- {
		b.value = b.value<<1 | value>>i&1
		if b.n++; b.n == 8 {
			b.add()
		}
	}
}

func (b *bitString) add() {
	if b.out = append(b.out, byte(b.value)); byte(b.value) == 0xff {
		b.out = append(b.out, 0)
	}
	b.value, b.n = 0, 0
}

// bytes returns the bits, filled up with ones.
func (b *bitString) bytes() []byte {
	for b.n > 0 {
		b.write(1, 1)
	}
	return b.out
}
