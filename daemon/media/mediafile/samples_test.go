package mediafile_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// sample is a small valid file with its facts.
type sample struct {
	name string
	data []byte
	want mediafile.Facts
}

func samples() []sample {
	const seconds = 2500 * time.Millisecond
	still := func(mimeType string, width, height int) mediafile.Facts {
		return mediafile.Facts{MIMEType: mimeType, Width: width, Height: height, Frames: 1, Orientation: 1}
	}
	with := func(f mediafile.Facts, change func(*mediafile.Facts)) mediafile.Facts {
		change(&f)
		return f
	}
	metadata := func(orientation int) func(*mediafile.Facts) {
		return func(f *mediafile.Facts) { f.HasMetadata, f.Orientation = true, orientation }
	}
	frames := func(n int) func(*mediafile.Facts) {
		return func(f *mediafile.Facts) {
			f.Frames, f.Animated, f.Duration = n, true, time.Duration(n)*100*time.Millisecond
		}
	}
	video := func(mimeType string) mediafile.Facts {
		return mediafile.Facts{MIMEType: mimeType, Width: 640, Height: 360, Duration: seconds, Orientation: 1, HasMetadata: true}
	}
	return []sample{
		{"png", mediatest.PNG(12, 8), still("image/png", 12, 8)},
		{"transparent png", mediatest.TransparentPNG(12, 8), with(still("image/png", 12, 8), func(f *mediafile.Facts) { f.Alpha = true })},
		{"png with metadata", mediatest.PNGWithMetadata(12, 8, 3), with(still("image/png", 12, 8), metadata(3))},
		{"apng", mediatest.APNG(12, 8, 3), with(still("image/png", 12, 8), frames(3))},
		{"jpeg", mediatest.JPEG(12, 8), still("image/jpeg", 12, 8)},
		{"jpeg with metadata", mediatest.JPEGWithMetadata(12, 8, 6), with(still("image/jpeg", 8, 12), metadata(6))},
		{"upright jpeg with metadata", mediatest.JPEGWithMetadata(12, 8, 1), with(still("image/jpeg", 12, 8), metadata(1))},
		{"gif", mediatest.GIF(12, 8, 1), still("image/gif", 12, 8)},
		{"animated gif", mediatest.GIF(12, 8, 4), with(still("image/gif", 12, 8), frames(4))},
		{"gif with a comment", mediatest.GIFWithComment(12, 8), with(with(still("image/gif", 12, 8), frames(2)), metadata(1))},
		{"webp", mediatest.WebP(12, 8), still("image/webp", 12, 8)},
		{"webp with metadata", mediatest.WebPWithMetadata(12, 8, 8), with(still("image/webp", 8, 12), metadata(8))},
		{"animated webp", mediatest.AnimatedWebP(12, 8, 3), with(still("image/webp", 12, 8), frames(3))},
		{"mp4", mediatest.MP4(2000), video("video/mp4")},
		{"mp4 with positions", mediatest.MP4WithPositions(), video("video/mp4")},
		{"turned mp4", mediatest.TurnedMP4(), with(video("video/mp4"), func(f *mediafile.Facts) { f.Width, f.Height = 360, 640 })},
		{"mov", mediatest.QuickTime(), video("video/quicktime")},
		{"webm", mediatest.WebM(), video("video/webm")},
		{"pdf", mediatest.PDF(), mediafile.Facts{MIMEType: "application/pdf", Orientation: 1}},
	}
}

// inspect inspects a file in memory with the default limits.
func inspect(t testing.TB, data []byte) mediafile.Facts {
	t.Helper()
	facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), mediafile.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

// strip strips a file in memory.
func strip(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := mediafile.Strip(t.Context(), &out, bytes.NewReader(data), int64(len(data)), inspect(t, data)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
