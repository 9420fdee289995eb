package mediatest

import (
	"bytes"
	"slices"
)

// Worst is a valid or nearly valid file that costs as much as its size allows in one
// respect: the number of its parts, the work to decode them, or the memory for them.
type Worst struct {
	MIMEType string
	Name     string // what there is much of

	// Make returns a file of about size bytes, at least a kilobyte and at most 20 MB.
	// Pictures that compress well may be smaller.
	Make func(size int) []byte
}

// WorstFiles returns about ten worst files of each accepted media type.
func WorstFiles() []Worst {
	return slices.Concat(worstPNG(), worstJPEG(), worstWebP(), worstGIF(), worstMP4("video/mp4", "isom"), worstMP4("video/quicktime", "qt  "), worstWebM(), worstPDF())
}

// Ordinary returns a file of a media type as cameras and programs write it, of about size
// bytes, for comparison.
func Ordinary(mimeType string, size int) []byte {
	switch mimeType {
	case "image/png":
		return PNG(side(size*5/4), side(size*5/4))
	case "image/jpeg":
		return JPEGWithMetadata(side(2*size), side(2*size), 1)
	case "image/webp":
		return WebPWithMetadata(side(size/4), side(size/4), 1)
	case "image/gif":
		return GIF(320, 240, max(2, min(2500, size/3000))) // 200 megapixels at most
	case "video/quicktime":
		return longMovie("qt  ", size)
	case "video/webm":
		return longWebM(size)
	case "application/pdf":
		return longPDF(size)
	}
	return longMovie("isom", size)
}

// side returns the side of a square with a number of pixels.
func side(pixels int) int {
	n := 1
	for (n+1)*(n+1) <= pixels {
		n++
	}
	return n
}

// flatPixels returns how many pixels of one color a picture of size bytes can have. A
// megabyte has as many as are accepted.
func flatPixels(size int) int { return min(49_000_000, size*size/5000) }

// fill returns head and tail with as many copies of part between them as size allows, at
// least one.
func fill(size int, head, part, tail []byte) []byte {
	n := max(1, (size-len(head)-len(tail))/len(part))
	return slices.Concat(head, bytes.Repeat(part, n), tail)
}

// directory returns EXIF data with as many entries as a directory can have, or as fit
// into size bytes, none of which is an orientation.
func directory(size int) []byte {
	n := min(65535, max(1, (size-14)/12))
	b := append([]byte("MM\x00*\x00\x00\x00\x08"), byte(n>>8), byte(n))
	b = append(b, bytes.Repeat([]byte("\x82\x9a\x00\x05\x00\x00\x00\x01\x00\x00\x00\x00"), n)...)
	return append(b, 0, 0, 0, 0)
}

// zips returns the ends of ZIP archives, each of which has a comment beyond the end of
// any file.
func zips(size int) []byte { return fill(size, nil, []byte("PK\x05\x06"), nil) }
