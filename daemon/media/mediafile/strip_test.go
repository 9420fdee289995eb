package mediafile_test

import (
	"bytes"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"

	"github.com/bep/imagemeta"
	"github.com/google/go-cmp/cmp"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	_ "golang.org/x/image/webp"
)

// A stripped file has the facts of its source, apart from the metadata, and stripping it
// again changes nothing.
func TestStripKeepsFacts(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			out := strip(t, s.data)
			want := s.want
			want.HasMetadata = false
			if diff := cmp.Diff(want, inspect(t, out)); diff != "" {
				t.Error(diff)
			}
			if !bytes.Equal(out, strip(t, out)) {
				t.Error("stripping twice differs from stripping once")
			}
			if !s.want.HasMetadata && !bytes.Equal(out, s.data) {
				t.Error("a file without metadata was changed")
			}
		})
	}
}

// No text that only metadata has is left in a stripped file.
func TestStripRemovesText(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		out := string(strip(t, s.data))
		for _, text := range []string{"home", "CamMake", "Helsinki", "GPSLatitude", "+60.17", "+24.94", "xmpmeta", "XMP"} {
			if strings.Contains(out, text) {
				t.Errorf("%s: %q is left", s.name, text)
			}
		}
	}
}

func TestStripKeepsPixels(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		before, _, err := image.Decode(bytes.NewReader(s.data))
		if !strings.HasPrefix(s.want.MIMEType, "image/") || s.name == "animated webp" {
			continue // x/image decodes no animations
		}
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		after, _, err := image.Decode(bytes.NewReader(strip(t, s.data)))
		if err != nil {
			t.Errorf("%s, stripped: %v", s.name, err)
		} else if diff := cmp.Diff(before, after, cmp.AllowUnexported(image.YCbCr{})); diff != "" {
			t.Errorf("%s: the pixels differ", s.name)
		}
	}
}

// The metadata is gone in the eyes of a library that shares no code with this package.
func TestStripSeenByAnotherLibrary(t *testing.T) {
	t.Parallel()
	for _, orientation := range []int{1, 6} {
		for format, data := range map[imagemeta.ImageFormat][]byte{
			imagemeta.JPEG: mediatest.JPEGWithMetadata(12, 8, orientation),
			imagemeta.PNG:  mediatest.PNGWithMetadata(12, 8, orientation),
			imagemeta.WebP: mediatest.WebPWithMetadata(12, 8, orientation),
		} {
			if tags := readTags(t, format, data); tags["GPSLatitude"] == nil || tags["Make"] == nil {
				t.Fatalf("%v: the library does not see the metadata of the sample: %v", format, tags)
			}
			want := map[string]any{}
			if orientation != 1 {
				want["Orientation"] = uint16(orientation)
			}
			if diff := cmp.Diff(want, readTags(t, format, strip(t, data))); diff != "" {
				t.Errorf("%v, orientation %d: %s", format, orientation, diff)
			}
		}
	}
}

// readTags returns all tags that the library finds.
func readTags(t *testing.T, format imagemeta.ImageFormat, data []byte) map[string]any {
	t.Helper()
	tags := map[string]any{}
	_, err := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(data), ImageFormat: format, Sources: imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP,
		HandleTag: func(tag imagemeta.TagInfo) error {
			tags[tag.Tag] = tag.Value
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tags
}

// The color profile of a picture is kept, byte for byte.
func TestStripKeepsColorProfile(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{
		mediatest.JPEGWithMetadata(12, 8, 1),
		mediatest.WebPWithMetadata(12, 8, 1),
	} {
		if !bytes.Contains(strip(t, data), mediatest.ICCProfile()) {
			t.Error("the color profile is gone")
		}
	}
	if out := strip(t, mediatest.PNGWithMetadata(12, 8, 1)); !bytes.Contains(out, []byte("iCCPprofile")) {
		t.Error("the color profile of the PNG picture is gone")
	}
}

// Metadata of videos is overwritten, so that the offsets of their tracks stay right.
func TestStripKeepsLengthOfVideos(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{mediatest.MP4(3000), mediatest.MP4WithPositions(), mediatest.TurnedMP4(), mediatest.QuickTime(), mediatest.WebM()} {
		if out := strip(t, data); len(out) != len(data) {
			t.Errorf("%s: %d bytes became %d", inspect(t, data).MIMEType, len(data), len(out))
		} else if media := []byte("media data"); bytes.Count(out, media) != bytes.Count(data, media) {
			t.Errorf("%s: the media data was changed", inspect(t, data).MIMEType)
		}
	}
}

func TestStripRefusesOtherFile(t *testing.T) {
	t.Parallel()
	data := mediatest.GIF(12, 8, 2)
	facts := mediafile.Facts{MIMEType: mediafile.PNG, HasMetadata: true}
	if err := mediafile.Strip(t.Context(), new(bytes.Buffer), bytes.NewReader(data), int64(len(data)), facts); err == nil {
		t.Error("a GIF picture was stripped as PNG")
	}
}
