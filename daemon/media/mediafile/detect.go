package mediafile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// sniffLength is how many first bytes decide the type of a file.
const sniffLength = 1024

// detect returns the media type of a file with these first bytes. It returns a TypeError
// for every type that is not accepted.
func detect(head []byte) (string, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG, nil
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG, nil
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return GIF, nil
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF, nil
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return WebP, nil
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return detectBrand(head)
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return detectDocType(head)
	}
	if found, advice := describe(head); found != "" {
		return "", &TypeError{Found: found, Advice: advice}
	}
	if start := partialMagic(head); start != "" {
		return "", truncated(int64(len(head)), "the first bytes of a %s", start)
	}
	return "", &TypeError{Found: fmt.Sprintf("of an unknown type (it starts with the bytes % x)", head[:min(len(head), 8)])}
}

// mp4Brands are brands of video that players of MP4 read: those of ISO/IEC 14496-12 and
// -14, of camera makers and of streaming.
var mp4Brands = []string{
	"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71",
	"avc1", "M4V ", "M4VH", "M4VP", "MSNV", "XAVC", "dash", "cmfc", "f4v ", "hvc1", "av01", "mmp4",
}

// detectBrand returns the type of a file of the ISO base media file format from the
// brands of its ftyp box.
func detectBrand(head []byte) (string, error) {
	major := string(head[8:12])
	switch {
	case major == "qt  ":
		return QuickTime, nil
	case strings.HasPrefix(major, "hei"), strings.HasPrefix(major, "hev"), major == "mif1", major == "msf1":
		return "", &TypeError{Found: "an HEIC picture", Advice: "save it as JPEG or PNG"}
	case strings.HasPrefix(major, "avi"):
		return "", &TypeError{Found: "an AVIF picture", Advice: "save it as JPEG, PNG or WebP"}
	case strings.HasPrefix(major, "M4A"), strings.HasPrefix(major, "M4B"):
		return "", &TypeError{Found: "an MP4 audio file", Advice: "use an MP4 video; networks take no audio"}
	case strings.HasPrefix(major, "3g"):
		return "", &TypeError{Found: "a 3GP video", Advice: "convert it to MP4"}
	case major == "crx ":
		return "", &TypeError{Found: "a raw camera picture", Advice: "export it as JPEG"}
	}
	brands := []string{major}
	for i := 16; i+4 <= min(len(head), int(binary.BigEndian.Uint32(head))); i += 4 {
		brands = append(brands, string(head[i:i+4]))
	}
	for _, brand := range brands {
		if slices.Contains(mp4Brands, brand) {
			return MP4, nil
		}
	}
	return "", &TypeError{Found: fmt.Sprintf("a media file of the unknown brand %q", major), Advice: "convert it to MP4"}
}

// detectDocType finds out whether an EBML file is WebM, from the DocType element (0x4282)
// of its header.
func detectDocType(head []byte) (string, error) {
	i := bytes.Index(head[:min(len(head), 64)], []byte{0x42, 0x82})
	name := ""
	if i >= 0 {
		name = string(head[i:min(i+24, len(head))])
	}
	switch {
	case strings.Contains(name, "webm"):
		return WebM, nil
	case strings.Contains(name, "matroska"):
		return "", &TypeError{Found: "a Matroska video", Advice: "convert it to MP4 or WebM"}
	case len(head) < 64:
		return "", truncated(int64(len(head)), "the EBML header")
	}
	return "", &TypeError{Found: "an EBML file that is not WebM", Advice: "convert it to MP4 or WebM"}
}

// refused lists first bytes of frequent types that are not accepted. A dot matches any
// byte.
var refused = []struct{ magic, found, advice string }{
	{"PK\x03\x04", "a ZIP archive or an Office document", "unpack it, or export the document as PDF"},
	{"PK\x05\x06", "an empty ZIP archive", ""},
	{"\x1f\x8b", "a gzip archive", "unpack it"},
	{"Rar!", "a RAR archive", "unpack it"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it"},
	{"BM....\x00\x00\x00\x00", "a BMP picture", "save it as PNG or JPEG"},
	{"II*\x00", "a TIFF or raw camera picture", "save it as JPEG or PNG"},
	{"MM\x00*", "a TIFF or raw camera picture", "save it as JPEG or PNG"},
	{"\xff\x0a", "a JPEG XL picture", "save it as JPEG or PNG"},
	{"\x00\x00\x00\x0cJXL ", "a JPEG XL picture", "save it as JPEG or PNG"},
	{"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture", "save it as JPEG or PNG"},
	{"8BPS", "a Photoshop document", "export it as JPEG or PNG"},
	{"\x00\x00\x01\x00", "an icon", "save it as PNG"},
	{"RIFF....AVI ", "an AVI video", "convert it to MP4"},
	{"RIFF....WAVE", "a WAV audio file", "use an MP4 video; networks take no audio"},
	{"OggS", "an Ogg file", "convert it to MP4 or WebM"},
	{"ID3", "an MP3 audio file", "use an MP4 video; networks take no audio"},
	{"\xff\xfb", "an MP3 audio file", "use an MP4 video; networks take no audio"},
	{"fLaC", "a FLAC audio file", "use an MP4 video; networks take no audio"},
	{"FLV\x01", "a Flash video", "convert it to MP4"},
	{"\x30\x26\xb2\x75", "a Windows Media file", "convert it to MP4"},
	{"\x00\x00\x01\xba", "an MPEG video", "convert it to MP4"},
	{"....moov", "an old QuickTime file without a file type", "convert it to MP4"},
	{"....wide", "an old QuickTime file without a file type", "convert it to MP4"},
	{"....mdat", "an old QuickTime file without a file type", "convert it to MP4"},
	{"\x7fELF", "a program", ""},
	{"MZ", "a program", ""},
	{"#!", "a script", ""},
	{"%!PS", "a PostScript document", "export it as PDF"},
}

// describe names a type that is not accepted, and says what to do. It returns "" for
// unknown types.
func describe(head []byte) (found, advice string) {
	for _, r := range refused {
		if matches(head, r.magic) {
			return r.found, r.advice
		}
	}
	return describeText(head)
}

func matches(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '.' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// describeText names markup and plain text.
func describeText(head []byte) (found, advice string) {
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	lower := bytes.ToLower(bytes.TrimSpace(text))
	switch {
	case !isText(text):
		return "", ""
	case bytes.Contains(lower, []byte("<svg")):
		return "an SVG drawing", "export it as PNG"
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.Contains(lower, []byte("<html")), bytes.HasPrefix(lower, []byte("<script")):
		return "an HTML page", ""
	case bytes.HasPrefix(lower, []byte("<?xml")):
		return "an XML document", ""
	}
	return "plain text", ""
}

// isText reports whether the bytes are UTF-8 without control characters. The last
// character may be cut.
func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n <= 1 && (utf8.FullRune(head[i:]) || len(head) < sniffLength) {
			return false
		}
		if r < ' ' && r != '\t' && r != '\r' && r != '\n' && r != '\f' {
			return false
		}
		i += n
	}
	return true
}

// partialMagic names the accepted format whose first bytes a very short file has.
func partialMagic(head []byte) string {
	for magic, mimeType := range map[string]string{
		"\x89PNG\r\n\x1a\n": PNG, "\xff\xd8\xff": JPEG, "\x1a\x45\xdf\xa3": WebM,
	} {
		if strings.HasPrefix(magic, string(head)) {
			return formatNames[mimeType]
		}
	}
	if n := len(head); n < 12 && n > 4 && strings.HasPrefix("ftyp", string(head[4:min(n, 8)])) {
		return "video"
	}
	return ""
}
