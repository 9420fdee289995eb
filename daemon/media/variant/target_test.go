package variant_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

// TestPlanRefusesToConvertLongPictures guards that a picture with millions of rows, which
// may be kept as it is, is not scaled.
func TestPlanRefusesToConvertLongPictures(t *testing.T) {
	t.Parallel()
	for _, side := range []int{65_535, 65_536, 49_000_000} {
		for _, facts := range []mediafile.Facts{{Width: side, Height: 1}, {Width: 1, Height: side}} {
			facts.MIMEType, facts.Frames, facts.Orientation = mediafile.PNG, 1, 1
			_, err := variant.Plan(facts, 1000, variant.Target{MaxPixels: 1000})
			if _, refused := errors.AsType[*variant.FitError](err); refused != (side > 65_535) {
				t.Errorf("%d × %d: %v", facts.Width, facts.Height, err)
			}
			if _, err := variant.Plan(facts, 1000, variant.Target{}); err != nil {
				t.Errorf("%d × %d, which fits: %v", facts.Width, facts.Height, err)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	picture := func(mimeType string) mediafile.Facts {
		return mediafile.Facts{MIMEType: mimeType, Width: 4000, Height: 3000, Frames: 1, Orientation: 1}
	}
	alpha := picture(mediafile.PNG)
	alpha.Alpha = true
	animation := mediafile.Facts{MIMEType: mediafile.GIF, Width: 400, Height: 300, Frames: 5, Animated: true, Duration: time.Second, Orientation: 1}
	video := mediafile.Facts{MIMEType: mediafile.MP4, Width: 1920, Height: 1080, Duration: 90 * time.Second, Orientation: 1}
	document := mediafile.Facts{MIMEType: mediafile.PDF, Orientation: 1}
	jpegOnly := []string{mediafile.JPEG}
	stills := []string{mediafile.JPEG, mediafile.PNG}
	for _, test := range []struct {
		name   string
		facts  mediafile.Facts
		size   int64
		target variant.Target
		want   variant.Fix
		fault  string
	}{
		{"fits", picture(mediafile.JPEG), 3e6, variant.Target{MaxBytes: 3e6, MaxWidth: 4000, MaxHeight: 3000, MaxSides: 7000, MaxPixels: 12e6, MaxRatio: 4.0 / 3, Types: stills}, variant.None, ""},
		{"no limits", video, 3e8, variant.Target{}, variant.None, ""},
		{"too many bytes", picture(mediafile.JPEG), 3e6, variant.Target{MaxBytes: 1e6}, variant.Resize, ""},
		{"too wide", picture(mediafile.JPEG), 3e6, variant.Target{MaxWidth: 3999}, variant.Resize, ""},
		{"too high", picture(mediafile.PNG), 3e6, variant.Target{MaxHeight: 2999}, variant.Resize, ""},
		{"too many sides", picture(mediafile.PNG), 3e6, variant.Target{MaxSides: 6999}, variant.Resize, ""},
		{"too many pixels", picture(mediafile.PNG), 3e6, variant.Target{MaxPixels: 12e6 - 1}, variant.Resize, ""},
		{"png that may be a jpeg", picture(mediafile.PNG), 1e6 + 1, variant.Target{MaxBytes: 4e6, MaxPNG: 1e6}, variant.Convert, ""},
		{"small png", picture(mediafile.PNG), 1e6, variant.Target{MaxBytes: 4e6, MaxPNG: 1e6}, variant.None, ""},
		{"large png with transparency", alpha, 3e6, variant.Target{MaxBytes: 4e6, MaxPNG: 1e6}, variant.None, ""},
		{"large png, only png", picture(mediafile.PNG), 3e6, variant.Target{MaxPNG: 1e6, Types: []string{mediafile.PNG}}, variant.None, ""},
		{"large jpeg", picture(mediafile.JPEG), 3e6, variant.Target{MaxPNG: 1e6}, variant.None, ""},
		{"png to jpeg", picture(mediafile.PNG), 3e6, variant.Target{MaxBytes: 1e6}, variant.Convert, ""},
		{"transparent png", alpha, 3e6, variant.Target{MaxBytes: 1e6}, variant.Resize, ""},
		{"transparent png, only jpeg", alpha, 3e6, variant.Target{MaxBytes: 1e6, Types: jpegOnly}, variant.None, "takes image/jpeg only"},
		{"webp", picture(mediafile.WebP), 1e5, variant.Target{Types: stills}, variant.Convert, ""},
		{"webp too large", picture(mediafile.WebP), 3e6, variant.Target{MaxBytes: 1e6}, variant.Convert, ""},
		{"webp where nothing helps", picture(mediafile.WebP), 1e5, variant.Target{Types: []string{mediafile.GIF}}, variant.None, "takes image/gif only"},
		{"too long for its width", picture(mediafile.JPEG), 1e5, variant.Target{MaxRatio: 1.3}, variant.None, "crop it"},
		{"too upright", picture(mediafile.JPEG), 1e5, variant.Target{MinAspect: 1.34, MaxAspect: 2}, variant.None, "1.34 to 2; crop it"},
		{"too wide for its height", picture(mediafile.JPEG), 1e5, variant.Target{MinAspect: 1, MaxAspect: 1.33}, variant.None, "crop it"},
		{"within the aspects", picture(mediafile.JPEG), 1e5, variant.Target{MinAspect: 1.333, MaxAspect: 1.334}, variant.None, ""},
		{"animation", animation, 2e6, variant.Target{MaxBytes: 1e6}, variant.None, "the animation has 2 MB, and the network takes 1 MB at most"},
		{"animation too wide", animation, 2e6, variant.Target{MaxWidth: 200}, variant.None, "takes 200 × 150 at most"},
		{"animation of a wrong type", animation, 2e6, variant.Target{Types: stills}, variant.None, "image/jpeg, image/png only"},
		{"video", video, 2e6, variant.Target{MaxBytes: 1e6}, variant.None, "videos are not converted"},
		{"long video", video, 2e6, variant.Target{MaxDuration: time.Minute}, variant.None, "lasts 1m30s"},
		{"document", document, 2e6, variant.Target{MaxBytes: 1e6}, variant.None, "the document has 2 MB"},
	} {
		got, err := variant.Plan(test.facts, test.size, test.target)
		if got != test.want || (err != nil) != (test.fault != "") || (err != nil && !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
		if _, ok := errors.AsType[*variant.FitError](err); err != nil && !ok {
			t.Errorf("%s: %T", test.name, err)
		}
	}
}
