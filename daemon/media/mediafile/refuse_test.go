package mediafile_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

func inspectError(t *testing.T, data []byte) error {
	t.Helper()
	_, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), mediafile.DefaultLimits)
	return err
}

func TestRefusedTypes(t *testing.T) {
	t.Parallel()
	ftyp := func(brand string) string { return "\x00\x00\x00\x14ftyp" + brand + "\x00\x00\x00\x00" + brand }
	for data, want := range map[string]string{
		string(mediatest.SVG()):                             "the file is an SVG drawing, which is not accepted; export it as PNG",
		"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<svg></svg>":  "SVG drawing",
		string(mediatest.HTML()):                            "HTML page",
		"<script>alert(1)</script>":                         "HTML page",
		"just some text\n":                                  "plain text",
		string(zipArchive(t)):                               "ZIP archive",
		ftyp("heic"):                                        "HEIC picture, which is not accepted; save it as JPEG",
		ftyp("avif"):                                        "AVIF picture",
		ftyp("M4A "):                                        "audio",
		ftyp("zzzz"):                                        `unknown brand "zzzz"`,
		"\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska":          "Matroska video",
		"BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00":        "BMP picture",
		"RIFF\x24\x00\x00\x00WAVEfmt ":                      "WAV audio",
		"\x7fELF\x02\x01\x01":                               "a program",
		"\x01\x02\x03\x04 nothing known":                    "unknown type (it starts with the bytes 01 02 03 04",
		strings.Repeat("<!-- a comment -->", 30) + "<html>": "HTML page",
	} {
		err := inspectError(t, []byte(data))
		if _, ok := errors.AsType[*mediafile.TypeError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v; want %q", data, err, want)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	t.Parallel()
	err := inspectError(t, nil)
	if _, ok := errors.AsType[*mediafile.InvalidError](err); !ok || !strings.Contains(err.Error(), "the file is empty") {
		t.Error(err)
	}
}

// No file is two files at once.
func TestPolyglots(t *testing.T) {
	t.Parallel()
	appended := map[string]string{
		string(zipArchive(t)):                      "ZIP archive",
		string(mediatest.HTML()):                   "HTML page",
		string(mediatest.PDF()):                    "",
		string(mediatest.PNG(5, 5)):                "",
		"<?php system($_GET[0]); ?>":               "",
		"\x00\x00\x00\x00" + string(zipArchive(t)): "ZIP archive",
	}
	for _, s := range samples() {
		for extra, found := range appended {
			if s.want.MIMEType == mediafile.PDF && strings.HasPrefix(extra, "%PDF") {
				continue // a document and its newer revision
			}
			err := inspectError(t, append(bytes.Clone(s.data), extra...))
			invalid, ok := errors.AsType[*mediafile.InvalidError](err)
			if !ok {
				t.Errorf("%s and %.20q: %v", s.name, extra, err)
				continue
			}
			if strings.HasPrefix(s.want.MIMEType, "image/") && !strings.Contains(err.Error(), "followed by") {
				t.Errorf("%s and %.20q: %v", s.name, extra, err)
			}
			if strings.HasPrefix(s.want.MIMEType, "image/") && (!strings.Contains(err.Error(), found) || invalid.Offset < int64(len(s.data))) {
				t.Errorf("%s and %.20q: %v", s.name, extra, err)
			}
		}
	}
}

// A ZIP archive is found where the format itself allows free bytes.
func TestHiddenZip(t *testing.T) {
	t.Parallel()
	picture := mediatest.PNG(5, 5)
	end := picture[len(picture)-12:]
	archive := zipArchive(t)
	binary.LittleEndian.PutUint16(archive[len(archive)-2:], uint16(4+len(end))) // the rest is its comment
	data := append(bytes.Clone(picture[:len(picture)-12]), pngChunk("zzZZ", archive)...)
	if err := inspectError(t, append(data, end...)); err == nil || !strings.Contains(err.Error(), "ZIP archive") {
		t.Error(err)
	}
}

func zipArchive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if _, err := w.Create("a.txt"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngChunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// Padding is accepted and removed. So are the pictures and videos that phones append.
func TestRemovedTrailers(t *testing.T) {
	t.Parallel()
	samsung := "\x00\x00\x01\x0a\x04\x00\x00\x00nameSEFH\x6a\x00\x00\x00\x01\x00\x00\x00\x00\x00\x01\x0a\x0c\x00\x00\x00\x0c\x00\x00\x00\x18\x00\x00\x00SEFT"
	for _, s := range samples() {
		if !strings.HasPrefix(s.want.MIMEType, "image/") {
			continue
		}
		trailers := []string{"\x00\x00\x00", "\r\n", samsung}
		if s.want.MIMEType == mediafile.JPEG {
			trailers = append(trailers, string(mediatest.JPEG(5, 5)), "\x00\x00"+string(mediatest.JPEGWithMetadata(5, 5, 8)), string(mediatest.MP4(2000)))
		}
		for _, trailer := range trailers {
			data := append(bytes.Clone(s.data), trailer...)
			facts := inspect(t, data)
			if !facts.HasMetadata || facts.Width != s.want.Width || facts.Orientation != s.want.Orientation {
				t.Errorf("%s and %.20q: %+v", s.name, trailer, facts)
			}
			if !bytes.Equal(strip(t, data), strip(t, s.data)) {
				t.Errorf("%s and %.20q: the trailer is left", s.name, trailer)
			}
		}
	}
}

// Large pictures are refused by their headers.
func TestSixtyMegapixels(t *testing.T) {
	t.Parallel()
	const width, height = 10000, 6000
	png := mediatest.PNG(5, 5)
	header := bytes.Clone(png[16:29])
	binary.BigEndian.PutUint32(header, width)
	binary.BigEndian.PutUint32(header[4:], height)
	copy(png[8:], pngChunk("IHDR", header))
	jpeg := mediatest.JPEG(5, 5)
	frame := bytes.Index(jpeg, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(jpeg[frame+5:], height)
	binary.BigEndian.PutUint16(jpeg[frame+7:], width)
	gif := mediatest.GIF(5, 5, 1)
	binary.LittleEndian.PutUint16(gif[6:], width)
	binary.LittleEndian.PutUint16(gif[8:], height)
	webp := mediatest.WebP(5, 5)
	binary.LittleEndian.PutUint32(webp[21:], (width-1)|(height-1)<<14)
	for _, data := range [][]byte{png, jpeg, gif, webp} {
		err := inspectError(t, data)
		if _, ok := errors.AsType[*mediafile.TooLargeError](err); !ok {
			t.Errorf("%.4q: %v", data, err)
		} else if want := "the picture has 10000 × 6000 pixels, more than 50 megapixels; scale it down"; err.Error() != want {
			t.Errorf("%.4q: %v", data, err)
		}
	}
}

func TestLongAnimations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		data []byte
		want string
	}{
		{manyFrames(10_000, 1, 1), "the animation has more than 5000 frames"},
		{manyFrames(201, 1000, 1000), "more than 200 megapixels in all its frames"},
		{manyFrames(200, 1000, 1000), ""},
		{mediatest.APNG(1000, 1000, 1), ""},
	} {
		err := inspectError(t, test.data)
		if test.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if _, ok := errors.AsType[*mediafile.TooLargeError](err); !ok || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v; want %q", err, test.want)
		}
	}
}

// manyFrames returns a GIF picture with a canvas, and with frames of one pixel.
func manyFrames(frames, width, height uint16) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	b = binary.LittleEndian.AppendUint16(b, height)
	b = append(b, 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
	for range frames {
		b = append(b, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0)
	}
	return append(b, 0x3b)
}

// One changed byte never makes a walk panic, and never makes Strip keep metadata.
func TestChangedBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the race detector has nothing to find here, and makes it slow")
	}
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for i := range s.data {
				for _, change := range []byte{0xff, 0x01, 0x80} {
					data := bytes.Clone(s.data)
					data[i] ^= change
					check(t, data)
				}
			}
		})
	}
}

func TestMemoryOfLargeFiles(t *testing.T) {
	const size = 300_000_000
	r := mediatest.LargeMP4(size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	facts, err := mediafile.Inspect(t.Context(), r, size, mediafile.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 128<<10 {
		t.Errorf("Inspect allocated %d bytes", n)
	}
	data := mediatest.MP4(20_000_000)
	runtime.ReadMemStats(&before)
	if err := mediafile.Strip(t.Context(), io.Discard, bytes.NewReader(data), int64(len(data)), facts); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
		t.Errorf("Strip allocated %d bytes", n)
	}
}
