package mediatest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
)

// Picture returns a picture with gradients and some noise, so that it compresses about as
// well as a photo. Its four corners are red, green, blue and white.
func Picture(width, height int) *image.NRGBA {
	random := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			noise := uint8(random.IntN(16))
			m.SetNRGBA(x, y, color.NRGBA{R: uint8(x*200/width) + noise, G: uint8(y*200/height) + noise, B: uint8((x+y)%64) + noise, A: 255})
		}
	}
	w, h := width/4, height/4
	fill := func(r image.Rectangle, c color.NRGBA) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				m.SetNRGBA(x, y, c)
			}
		}
	}
	fill(image.Rect(0, 0, w, h), color.NRGBA{R: 255, A: 255})
	fill(image.Rect(width-w, 0, width, h), color.NRGBA{G: 255, A: 255})
	fill(image.Rect(0, height-h, w, height), color.NRGBA{B: 255, A: 255})
	fill(image.Rect(width-w, height-h, width, height), color.NRGBA{R: 255, G: 255, B: 255, A: 255})
	return m
}

// PNG returns an opaque PNG picture.
func PNG(width, height int) []byte { return encodePNG(Picture(width, height)) }

// TransparentPNG returns a PNG picture with an alpha channel: its middle is transparent.
func TransparentPNG(width, height int) []byte {
	m := Picture(width, height)
	for y := height / 4; y < height*3/4; y++ {
		for x := width / 4; x < width*3/4; x++ {
			m.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	return encodePNG(m)
}

func encodePNG(m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// PNGWithMetadata returns a PNG picture with a text chunk, a time, a color profile and
// EXIF data with a position and an orientation.
func PNGWithMetadata(width, height, orientation int) []byte {
	var b bytes.Buffer
	b.Write(PNG(width, height))
	return insertPNG(b.Bytes(),
		pngChunk("iCCP", append([]byte("profile\x00\x00"), deflate(ICCProfile())...)),
		pngChunk("tEXt", []byte("Comment\x00taken at home")),
		pngChunk("tIME", []byte{0x07, 0xea, 1, 2, 3, 4, 5}),
		pngChunk("eXIf", EXIF(orientation)),
	)
}

// APNG returns an animated PNG picture. All frames have the same pixels, and last 100 ms.
func APNG(width, height, frames int) []byte {
	still := PNG(width, height)
	u32 := binary.BigEndian.AppendUint32
	control := func(sequence int) []byte {
		b := u32(u32(u32(u32(u32(nil, uint32(sequence)), uint32(width)), uint32(height)), 0), 0)
		return pngChunk("fcTL", append(b, 0, 1, 0, 10, 0, 0))
	}
	out := insertPNG(still, pngChunk("acTL", u32(u32(nil, uint32(frames)), 0)), control(0))
	out = out[:len(out)-12] // without IEND
	for i := 1; i < frames; i++ {
		out = append(out, control(2*i-1)...)
		out = append(out, pngChunk("fdAT", append(u32(nil, uint32(2*i)), pngData(still)...))...)
	}
	return append(out, pngChunk("IEND", nil)...)
}

// JPEG returns a JPEG picture without metadata.
func JPEG(width, height int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, Picture(width, height), &jpeg.Options{Quality: 92}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// JPEGWithMetadata returns a JPEG picture with a JFIF preview, EXIF data with a GPS
// position and an EXIF orientation, XMP, IPTC, a color profile and a comment. Its stored
// pixels have the given size; it is displayed turned if the orientation is 5 or more.
func JPEGWithMetadata(width, height, orientation int) []byte {
	out := []byte{0xff, 0xd8}
	add := func(marker byte, data ...string) {
		n := 2
		for _, d := range data {
			n += len(d)
		}
		out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(n))
		for _, d := range data {
			out = append(out, d...)
		}
	}
	add(0xe0, "JFIF\x00\x01\x02\x01\x00\x48\x00\x48\x02\x01", "\xff\x00\x00\x00\xff\x00")
	add(0xe1, "Exif\x00\x00", string(EXIF(orientation)))
	add(0xe1, "http://ns.adobe.com/xap/1.0/\x00", XMP)
	add(0xe2, "ICC_PROFILE\x00\x01\x01", string(ICCProfile()))
	add(0xed, "Photoshop 3.0\x00", "8BIM\x04\x04\x00\x00\x00\x00\x00\x0d", "\x1c\x02\x5a\x00\x08Helsinki", "\x00")
	add(0xfe, "taken at home")
	return append(out, JPEG(width, height)[2:]...)
}

// GIF returns an animated GIF picture. Each frame lasts 100 ms. A single frame is a still
// picture.
func GIF(width, height, frames int) []byte {
	g := &gif.GIF{Config: image.Config{ColorModel: color.Palette(palette.WebSafe), Width: width, Height: height}}
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, width, height), palette.WebSafe)
		for p := range m.Pix {
			m.Pix[p] = uint8((p%width*6/width+i)%6*36 + p/width*6/height)
		}
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// GIFWithComment returns an animated GIF picture of two frames with a comment and XMP.
func GIFWithComment(width, height int) []byte {
	b := GIF(width, height, 2)
	b = b[:len(b)-1]
	b = append(b, "\x21\xfe\x0dtaken at home\x00"...)
	b = append(b, "\x21\xff\x0bXMP DataXMP\x04<x/>\x00"...)
	return append(b, 0x3b)
}
