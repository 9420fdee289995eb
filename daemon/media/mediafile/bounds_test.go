package mediafile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// insert puts n copies of a part into a file, before the part that starts with a text.
func insert(file []byte, before, part string, n int) []byte {
	i := bytes.Index(file, []byte(before))
	return slicesConcat(file[:i], strings.Repeat(part, n), file[i:])
}

func slicesConcat(start []byte, middle string, end []byte) []byte {
	return append(append(append([]byte(nil), start...), middle...), end...)
}

// repeated are files with n parts of a kind, by their type.
var repeated = map[string]struct{ metadata, others func(n int) []byte }{
	mediafile.PNG: {
		func(n int) []byte {
			return insert(mediatest.PNG(3, 3), "\x00\x00\x00\x00IEND", string(pngChunk("tEXt", nil)), n)
		},
		func(n int) []byte {
			return insert(mediatest.PNG(3, 3), "\x00\x00\x00\x00IEND", string(pngChunk("sPLT", nil)), n)
		},
	},
	mediafile.JPEG: {
		func(n int) []byte { return insert(mediatest.JPEG(3, 3), "\xff\xda", "\xff\xfe\x00\x02", n) },
		func(n int) []byte { return insert(mediatest.JPEG(3, 3), "\xff\xda", "\xff\xc4\x00\x02", n) },
	},
	mediafile.WebP: {
		func(n int) []byte {
			return append(mediatest.WebPWithMetadata(3, 3, 1), strings.Repeat("note\x00\x00\x00\x00", n)...)
		},
		func(n int) []byte {
			return append(mediatest.AnimatedWebP(3, 3, 1), strings.Repeat("ALPH\x00\x00\x00\x00", n)...)
		},
	},
	mediafile.GIF: {
		func(n int) []byte { return insert(mediatest.GIF(3, 3, 2), "\x2c\x00\x00\x00\x00", "!\xfe\x00", n) },
		func(n int) []byte {
			return insert(mediatest.GIF(3, 3, 2), "\x2c\x00\x00\x00\x00", "!\xf9\x04\x00\x00\x00\x00\x00", n)
		},
	},
	mediafile.MP4: {
		func(n int) []byte { return append(mediatest.MP4(2000), strings.Repeat("\x00\x00\x00\x09free.", n)...) },
		func(n int) []byte { return append(mediatest.MP4(2000), strings.Repeat("\x00\x00\x00\x08mdat", n)...) },
	},
	mediafile.WebM: {
		func(n int) []byte { return append(mediatest.LiveWebM(), strings.Repeat("\x12\x54\xc3\x67\x80", n)...) },
		func(n int) []byte { return append(mediatest.LiveWebM(), strings.Repeat("\xa3\x80", n)...) },
	},
}

// repeat returns a file with n parts, whose length is right.
func repeat(mimeType string, make func(int) []byte, n int) []byte {
	data := make(n)
	if mimeType == mediafile.WebP {
		binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	}
	return data
}

// A file with more metadata than any camera writes is refused, and one with as much as is
// allowed costs a bounded amount of memory.
func TestTooMuchMetadata(t *testing.T) {
	t.Parallel()
	for mimeType, file := range repeated {
		t.Run(mimeType, func(t *testing.T) {
			t.Parallel()
			err := inspectError(t, repeat(mimeType, file.metadata, 20_001))
			invalid, ok := errors.AsType[*mediafile.InvalidError](err)
			if !ok || !errors.Is(err, mediafile.ErrTooManyParts) || invalid.Type != mimeType ||
				!strings.Contains(err.Error(), "has 20,001 pieces of metadata or more; the limit is 20,000") {
				t.Errorf("refused with %v", err)
			}
			data := repeat(mimeType, file.metadata, 19_000)
			if out := inspect(t, strip(t, data)); out.HasMetadata {
				t.Error("metadata is left")
			}
		})
	}
}

// A file of more parts than any program writes is refused, whatever the parts are.
func TestTooManyParts(t *testing.T) {
	t.Parallel()
	for mimeType, file := range repeated {
		err := inspectError(t, repeat(mimeType, file.others, 500_000))
		if !errors.Is(err, mediafile.ErrTooManyParts) || !strings.Contains(err.Error(), " parts or more; the limit is ") {
			t.Errorf("%s: refused with %v", mimeType, err)
		}
	}
	blocks := bytes.Replace(mediatest.GIF(3, 3, 1), []byte("\x3b"), []byte("!\xff\x0bNETSCAPE2.0"+strings.Repeat("\x01\x01", 500_000)+"\x00\x3b"), 1)
	if err := inspectError(t, blocks); !errors.Is(err, mediafile.ErrTooManyParts) {
		t.Errorf("data blocks of a GIF picture: refused with %v", err)
	}
}

// Long recordings and animations are accepted: each of their parts has its data.
func TestManyParts(t *testing.T) {
	t.Parallel()
	inspect(t, manyFrames(5000, 1, 1))
	inspect(t, append(mediatest.LiveWebM(), strings.Repeat("\xa3\x9e"+strings.Repeat("v", 30), 250_000)...))
	fragment := mp4Box("moof", mp4Box("mfhd", zeros(8)), mp4Box("traf", mp4Box("tfhd", zeros(8)), mp4Box("tfdt", zeros(8)), mp4Box("trun", zeros(16)))) + mp4Box("mdat", zeros(60))
	inspect(t, append(mediatest.FragmentedMP4(), strings.Repeat(fragment, 30_000)...))
}

func zeros(n int) string { return string(make([]byte, n)) }

func mp4Box(name string, data ...string) string {
	content := strings.Join(data, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))) + name + content
}

// metadataTrack is a track with n chunks of one byte, each at an offset.
func metadataTrack(n int, offset func(i int) int) string {
	u32 := func(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
	var chunks strings.Builder
	for i := range n {
		chunks.WriteString(u32(offset(i)))
	}
	table := mp4Box("stbl", mp4Box("stco", u32(0), u32(n), chunks.String()), mp4Box("stsc", u32(0), u32(1), u32(1), u32(1), u32(1)), mp4Box("stsz", u32(0), u32(1), u32(n)))
	return mp4Box("trak", mp4Box("mdia", mp4Box("hdlr", zeros(8), "meta", zeros(13)), mp4Box("minf", table)))
}

// withTrack puts a track into the moov box at the end of a video.
func withTrack(video []byte, track string) []byte {
	moov := bytes.Index(video, []byte("moov")) - 4
	length := binary.BigEndian.Uint32(video[moov:])
	out := slicesConcat(video[:moov+int(length)], track, video[moov+int(length):])
	binary.BigEndian.PutUint32(out[moov:], length+uint32(len(track)))
	return out
}

// The mdat boxes of a video multiplied by the chunks of its metadata tracks are limited,
// even if no chunk is in a box, so that there is nothing to remove.
func TestBoxesTimesSamples(t *testing.T) {
	t.Parallel()
	many := withTrack(mediatest.MP4(2000), metadataTrack(1000, func(int) int { return 9 }))
	inspect(t, append(bytes.Clone(many), strings.Repeat("\x00\x00\x00\x08mdat", 900)...))
	err := inspectError(t, append(bytes.Clone(many), strings.Repeat("\x00\x00\x00\x08mdat", 1000)...))
	if want := "has 1,001 mdat boxes and 1,000 chunks in metadata tracks, 1,001,000 pairs; the limit is 1,000,000"; !errors.Is(err, mediafile.ErrTooManyParts) || !strings.Contains(err.Error(), want) {
		t.Errorf("refused with %v", err)
	}
}

// The chunks of metadata tracks are pieces of metadata, too. Those that follow each other
// are one piece.
func TestTooManySamples(t *testing.T) {
	t.Parallel()
	inspect(t, withTrack(mediatest.MP4(100_000), metadataTrack(30_000, func(i int) int { return 100 + i })))
	err := inspectError(t, withTrack(mediatest.MP4(100_000), metadataTrack(30_000, func(i int) int { return 100 + 2*i })))
	if !errors.Is(err, mediafile.ErrTooManyParts) || !strings.Contains(err.Error(), "pieces of metadata") {
		t.Errorf("refused with %v", err)
	}
}

// progressive returns a JPEG picture of a size with scans that change nothing.
func progressive(width, height, sampling, scans int) []byte {
	b := []byte("\xff\xd8\xff\xc2\x00\x0b\x08")
	b = binary.BigEndian.AppendUint16(b, uint16(height))
	b = binary.BigEndian.AppendUint16(b, uint16(width))
	b = append(b, 1, 1, byte(sampling), 0)
	for range scans {
		b = append(b, "\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00"...)
	}
	return append(b, "\xff\xd9"...)
}

// Each scan of a JPEG picture passes over all its pixels.
func TestTooManyScans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"100 scans":                {progressive(9, 9, 0x11, 100), ""},
		"101 scans":                {progressive(9, 9, 0x11, 101), "has 101 scans or more; the limit is 100"},
		"14 scans of 50 MP":        {progressive(8660, 5770, 0x22, 14), ""},
		"25 scans of 50 MP":        {progressive(8660, 5770, 0x22, 25), "has 20 scans or more, with 1001.78944 megapixels in all; the limit is 1000"},
		"large blocks of one line": {progressive(65535, 1, 0x44, 100), ""},
		"large blocks, few pixels": {progressive(3, 65535, 0x11, 100), ""},
	} {
		if test.want == "" {
			inspect(t, test.data)
		} else if err := inspectError(t, test.data); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", name, err, test.want)
		}
	}
}

// A file that was stored before the limits has a view up to 30,000 pieces of metadata.
func TestViewOfManyParts(t *testing.T) {
	t.Parallel()
	for mimeType, file := range repeated {
		data := repeat(mimeType, file.metadata, 29_990)
		v, err := mediafile.NewView(t.Context(), bytes.NewReader(data), int64(len(data)), mimeType)
		if err != nil {
			t.Errorf("%s: %v", mimeType, err)
		} else if n := v.Memory(); n > 2<<20 {
			t.Errorf("%s: the view takes %d bytes", mimeType, n)
		}
		data = repeat(mimeType, file.metadata, 30_001)
		if _, err := mediafile.NewView(t.Context(), bytes.NewReader(data), int64(len(data)), mimeType); !errors.Is(err, mediafile.ErrTooManyParts) {
			t.Errorf("%s: more pieces: %v", mimeType, err)
		}
	}
}
