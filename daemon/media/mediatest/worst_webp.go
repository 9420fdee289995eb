package mediatest

import "slices"

func worstWebP() []Worst {
	const kind = "image/webp"
	return []Worst{
		{kind, "unknown chunks", extendedWebP(webpChunk("abcd", nil))},
		{kind, "unknown chunks between kept ones", extendedWebP(webpChunk("abcd", []byte("a")), webpChunk("ALPH", nil))},
		{kind, "chunks that are kept", extendedWebP(webpChunk("ALPH", nil))},
		{kind, "XMP chunks", extendedWebP(webpChunk("XMP ", []byte("<x/>")))},
		{kind, "EXIF directories", func(size int) []byte {
			return extendedWebP(webpChunk("EXIF", directory(min(size, 65535*12))))(size)
		}},
		{kind, "color profiles", extendedWebP(webpChunk("ICCP", ICCProfile()))},
		{kind, "frames of one pixel", tinyWebPFrames},
		{kind, "chunks in a frame", frameChunks},
		{kind, "lossless pixels of one color", flatWebP},
		{kind, "zeros after the end", func(size int) []byte { return fill(size, WebP(4, 4), []byte{0}, nil) }},
		{kind, "ends of archives", func(size int) []byte { return extendedWebP(webpChunk("abcd", zips(min(size, 64_000))))(size) }},
	}
}

// extendedWebP returns a picture with many copies of chunks.
func extendedWebP(chunks ...[]byte) func(int) []byte {
	return func(size int) []byte {
		part := slices.Concat(chunks...)
		return riff(fill(size-20, slices.Concat(vp8x(4, 4, 0), webpChunk("VP8L", vp8l(Picture(4, 4)))), part, nil))
	}
}

// webpFrame returns a frame of one pixel with chunks.
func webpFrame(chunks []byte) []byte {
	return webpChunk("ANMF", append([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x64\x00\x00\x00"), chunks...))
}

func tinyWebPFrames(size int) []byte {
	frame := webpFrame(webpChunk("VP8L", flatVP8L(1, 1)))
	return riff(fill(min(size, 5000*len(frame)), slices.Concat(vp8x(1, 1, 2), webpChunk("ANIM", make([]byte, 6))), frame, nil))
}

// frameChunks returns an animation whose frame has many unknown chunks.
func frameChunks(size int) []byte {
	picture := webpChunk("VP8L", flatVP8L(1, 1))
	return riff(vp8x(1, 1, 2), webpChunk("ANIM", make([]byte, 6)), webpFrame(fill(size, picture, webpChunk("abcd", []byte("ab")), nil)))
}

// flatWebP returns a picture of one color with as many pixels as are accepted.
func flatWebP(size int) []byte {
	n := side(flatPixels(size))
	return riff(webpChunk("VP8L", flatVP8L(n, n)))
}

// flatVP8L returns lossless data in which each color channel has one value, which needs
// no bits.
func flatVP8L(width, height int) []byte {
	w := &bitWriter{out: []byte{0x2f}}
	w.write(uint32(width-1), 14)
	w.write(uint32(height-1), 14)
	w.write(0, 1+3+3) // no alpha, version 0, no transform, no color cache, one group of codes
	for range 5 {
		w.write(1, 4) // a simple code with one symbol of one bit: 0
	}
	return w.bytes()
}
