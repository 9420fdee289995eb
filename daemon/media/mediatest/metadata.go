package mediatest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
)

// XMP is metadata of Adobe with a position.
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
	`<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="60,10.2N" exif:GPSLongitude="24,56.4E"/>` +
	`</rdf:RDF></x:xmpmeta>`

// EXIF returns EXIF data (a TIFF structure) with the name of a camera, an orientation, and
// the GPS position 60° 10' N, 24° 56' E.
func EXIF(orientation int) []byte {
	const ascii, short, long, rational = 2, 3, 4, 5
	order := binary.LittleEndian
	b := append([]byte("II*\x00"), 8, 0, 0, 0)
	entry := func(tag, kind, count int, value uint32) {
		b = order.AppendUint16(order.AppendUint16(b, uint16(tag)), uint16(kind))
		b = order.AppendUint32(order.AppendUint32(b, uint32(count)), value)
	}
	const directory, gps = 8 + 2 + 3*12 + 4, 8 + 2 + 3*12 + 4 + 8
	b = order.AppendUint16(b, 3)
	entry(0x010f, ascii, 8, directory) // Make
	entry(0x0112, short, 1, uint32(orientation))
	entry(0x8825, long, 1, gps) // GPSInfo
	b = order.AppendUint32(b, 0)
	b = append(b, "CamMake\x00"...)
	b = order.AppendUint16(b, 4)
	const values = gps + 2 + 4*12 + 4
	entry(1, ascii, 2, 'N')
	entry(2, rational, 3, values)
	entry(3, ascii, 2, 'E')
	entry(4, rational, 3, values+24)
	b = order.AppendUint32(b, 0)
	for _, n := range []uint32{60, 1, 10, 1, 0, 1, 24, 1, 56, 1, 0, 1} {
		b = order.AppendUint32(b, n)
	}
	return b
}

// ICCProfile returns the frame of a color profile: a header of the right length and
// signature, and no tags.
func ICCProfile() []byte {
	b := make([]byte, 132)
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	copy(b[8:], "\x02\x10\x00\x00mntrRGB XYZ ")
	copy(b[36:], "acsp")
	return b
}

// pngChunk returns a PNG chunk with its length and checksum.
func pngChunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// insertPNG puts chunks after the header of a PNG file.
func insertPNG(file []byte, chunks ...[]byte) []byte {
	const header = 8 + 12 + 13
	out := append([]byte(nil), file[:header]...)
	for _, c := range chunks {
		out = append(out, c...)
	}
	return append(out, file[header:]...)
}

// pngData returns the compressed pixels of a PNG file.
func pngData(file []byte) (data []byte) {
	for off := 8; off < len(file); {
		n := int(binary.BigEndian.Uint32(file[off:]))
		if string(file[off+4:off+8]) == "IDAT" {
			data = append(data, file[off+8:off+8+n]...)
		}
		off += 12 + n
	}
	return data
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
