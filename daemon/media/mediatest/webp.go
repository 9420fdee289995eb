package mediatest

import (
	"encoding/binary"
	"image"
	"math/bits"
)

// WebP returns a lossless WebP picture.
func WebP(width, height int) []byte { return riff(webpChunk("VP8L", vp8l(Picture(width, height)))) }

// WebPWithMetadata returns a lossless WebP picture with a color profile, EXIF data with a
// position and an orientation, and XMP.
func WebPWithMetadata(width, height, orientation int) []byte {
	const profile, exif, xmp = 0x20, 0x08, 0x04
	return riff(
		vp8x(width, height, profile|exif|xmp), webpChunk("ICCP", ICCProfile()),
		webpChunk("VP8L", vp8l(Picture(width, height))),
		webpChunk("EXIF", EXIF(orientation)), webpChunk("XMP ", []byte(XMP)),
	)
}

// AnimatedWebP returns a WebP animation. All frames have the same pixels, and last 100 ms.
func AnimatedWebP(width, height, frames int) []byte {
	const animation = 0x02
	chunks := [][]byte{vp8x(width, height, animation), webpChunk("ANIM", make([]byte, 6))}
	picture := webpChunk("VP8L", vp8l(Picture(width, height)))
	for range frames {
		frame := append(make([]byte, 6), uint24(width-1)...)
		frame = append(append(frame, uint24(height-1)...), 100, 0, 0, 0)
		chunks = append(chunks, webpChunk("ANMF", append(frame, picture...)))
	}
	return riff(chunks...)
}

func riff(chunks ...[]byte) []byte {
	b := []byte("RIFF....WEBP")
	for _, c := range chunks {
		b = append(b, c...)
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

func webpChunk(name string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
	b = append(b, data...)
	return append(b, make([]byte, len(data)%2)...)
}

func vp8x(width, height int, flags byte) []byte {
	b := append([]byte{flags, 0, 0, 0}, uint24(width-1)...)
	return webpChunk("VP8X", append(b, uint24(height-1)...))
}

func uint24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// vp8l encodes a picture in the lossless format of RFC 9649, section 3, without any
// compression: each color channel has a prefix code of 8 bits for each of 256 values.
func vp8l(m *image.NRGBA) []byte {
	w := &bitWriter{out: []byte{0x2f}}
	w.write(uint32(m.Rect.Dx()-1), 14)
	w.write(uint32(m.Rect.Dy()-1), 14)
	w.write(0, 1) // no alpha
	w.write(0, 3) // version
	w.write(0, 3) // no transform, no color cache, one group of prefix codes
	w.prefixCode(256 + 24)
	for range 3 {
		w.prefixCode(256)
	}
	w.write(1, 4) // a simple code with one symbol of one bit: distance 0
	for i := 0; i < len(m.Pix); i += 4 {
		for _, channel := range []int{1, 0, 2, 3} { // green, red, blue, alpha
			w.write(uint32(bits.Reverse8(m.Pix[i+channel])), 8)
		}
	}
	return w.bytes()
}

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	out   []byte
	value uint64
	n     int
}

func (w *bitWriter) write(value uint32, n int) {
	w.value |= uint64(value) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out, w.value = append(w.out, byte(w.value)), w.value>>8
	}
}

// prefixCode writes the code lengths of an alphabet: 8 for the first 256 symbols, and 0
// for the others. The lengths are themselves coded with one bit: 0 for the length 0, and 1
// for the length 8.
func (w *bitWriter) prefixCode(symbols int) {
	order := []int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8}
	w.write(0, 1)                    // a normal code
	w.write(uint32(len(order)-4), 4) // how many lengths of the code for lengths follow
	for _, length := range order {
		n := uint32(0)
		if length == 0 || length == 8 {
			n = 1
		}
		w.write(n, 3)
	}
	w.write(0, 1) // all symbols follow
	for i := range symbols {
		bit := uint32(1)
		if i >= 256 {
			bit = 0
		}
		w.write(bit, 1)
	}
}

func (w *bitWriter) bytes() []byte {
	if w.n > 0 {
		w.write(0, 8-w.n)
	}
	return append(w.out, make([]byte, 2-len(w.out)%2)...) // some readers forget the padding of odd chunks
}
