package variant

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// Target is what a network takes. A zero limit is no limit.
type Target struct {
	Types               []string // media types; none for all
	MaxBytes            int64
	MaxPNG              int64 // bytes of a PNG picture that may as well be a JPEG
	MaxWidth, MaxHeight int
	MaxSides            int // for width + height
	MaxPixels           int64
	MaxRatio            float64 // of the longer side to the shorter one
	MinAspect           float64 // of the width to the height, as displayed
	MaxAspect           float64
	MaxDuration         time.Duration // of videos and animations
}

// Fix is what is done to a file so that it fits a target.
type Fix string

// The fixes, as the API names them.
const (
	None    Fix = "none"    // the file fits, or cannot be made to fit
	Resize  Fix = "resize"  // fewer pixels, or a lower quality
	Convert Fix = "convert" // another media type
)

// maxSide is the longest side of a picture that is converted, in pixels: that of a JPEG.
// Scaling needs memory for each row and column, which is more than the pixels need if one
// side is extremely long.
const maxSide = 1<<16 - 1

// FitError reports a file that cannot be made to fit a target.
type FitError struct {
	Problem string
	Advice  string
}

func (e *FitError) Error() string { return e.Problem + "; " + e.Advice }

// Plan returns what has to be done to a file of size bytes with these facts so that it
// fits the target. It returns a [*FitError] if nothing helps. It promises no more than
// the facts allow: [Fitter.Fit] finds out that a picture fits once its metadata is
// removed, or that none of its pixels is transparent.
func Plan(facts mediafile.Facts, size int64, t Target) (Fix, error) {
	if r := ratio(facts.Width, facts.Height); t.MaxRatio > 0 && r > t.MaxRatio {
		return None, &FitError{
			Problem: fmt.Sprintf("the sides of the picture, %d × %d pixels, have a ratio of more than %s", facts.Width, facts.Height, number(t.MaxRatio)),
			Advice:  "crop it",
		}
	}
	if !t.fitsAspect(facts.Width, facts.Height) {
		return None, &FitError{
			Problem: fmt.Sprintf("the file has %d × %d pixels, and the network takes a ratio of width to height of %.4g to %.4g", facts.Width, facts.Height, t.MinAspect, t.MaxAspect),
			Advice:  "crop it",
		}
	}
	accepted := t.accepts(facts.MIMEType)
	tooManyBytes := t.tooManyBytes(facts, size)
	width, height := t.bound(facts.Width, facts.Height)
	tooManyPixels := width != facts.Width || height != facts.Height
	tooLong := t.MaxDuration > 0 && facts.Duration > t.MaxDuration
	if accepted && !tooManyBytes && !tooManyPixels && !tooLong {
		return None, nil
	}
	if !isStill(facts) {
		return None, t.cannotChange(facts, size, accepted, tooManyBytes, tooLong)
	}
	out := t.outputType(facts, tooManyBytes)
	switch {
	case max(facts.Width, facts.Height) > maxSide:
		return None, &FitError{
			Problem: fmt.Sprintf("the picture has to be converted, and a side of its %d × %d pixels is longer than %d", facts.Width, facts.Height, maxSide),
			Advice:  "crop it",
		}
	case out == "":
		return None, &FitError{
			Problem: fmt.Sprintf("the picture is %s, and the network takes %s only", facts.MIMEType, strings.Join(t.Types, ", ")),
			Advice:  "convert the picture",
		}
	case out != facts.MIMEType:
		return Convert, nil
	}
	return Resize, nil
}

// cannotChange returns the error for an animation, a video or a document.
func (t Target) cannotChange(facts mediafile.Facts, size int64, accepted, tooManyBytes, tooLong bool) error {
	noun := map[mediafile.Kind]string{mediafile.Video: "video", mediafile.Document: "document"}[mediafile.KindOf(facts.MIMEType)]
	if noun == "" {
		noun = "animation"
	}
	advice := noun + "s are not converted automatically: make a smaller one"
	switch {
	case !accepted:
		return &FitError{
			Problem: fmt.Sprintf("the %s is %s, and the network takes %s only", noun, facts.MIMEType, strings.Join(t.Types, ", ")),
			Advice:  noun + "s are not converted automatically: convert it to a type from this list",
		}
	case tooManyBytes:
		return &FitError{Problem: fmt.Sprintf("the %s has %s, and the network takes %s at most", noun, megabytes(size), megabytes(t.MaxBytes)), Advice: advice}
	case tooLong:
		return &FitError{Problem: fmt.Sprintf("the %s lasts %v, and the network takes %v at most", noun, facts.Duration, t.MaxDuration), Advice: "shorten it"}
	}
	width, height := t.bound(facts.Width, facts.Height)
	return &FitError{
		Problem: fmt.Sprintf("the %s has %d × %d pixels, and the network takes %d × %d at most in this shape", noun, facts.Width, facts.Height, width, height),
		Advice:  advice,
	}
}

func megabytes(n int64) string { return number(math.Ceil(float64(n)/1e4)/100) + " MB" }

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// isStill reports whether a file is a picture without an animation.
func isStill(f mediafile.Facts) bool { return f.Frames == 1 && !f.Animated }

// tooManyBytes reports whether a file has more bytes than the target allows.
func (t Target) tooManyBytes(facts mediafile.Facts, size int64) bool {
	asJPEG := facts.MIMEType == mediafile.PNG && isStill(facts) && !facts.Alpha && t.accepts(mediafile.JPEG)
	return t.MaxBytes > 0 && size > t.MaxBytes || t.MaxPNG > 0 && size > t.MaxPNG && asJPEG
}

func (t Target) accepts(mimeType string) bool {
	return len(t.Types) == 0 || slices.Contains(t.Types, mimeType)
}

// outputType returns the type to which a still picture is encoded, "" if the network
// takes none. There is no encoder for WebP. JPEG has no transparency, and is much smaller
// for photos; drawings in PNG and GIF stay sharp if they only have too many pixels.
func (t Target) outputType(facts mediafile.Facts, tooManyBytes bool) string {
	lossless := facts.MIMEType == mediafile.PNG || facts.MIMEType == mediafile.GIF
	preferred := []string{mediafile.JPEG, mediafile.PNG}
	if facts.Alpha {
		preferred = []string{mediafile.PNG}
	} else if lossless && !tooManyBytes {
		preferred = []string{mediafile.PNG, mediafile.JPEG}
	}
	for _, p := range preferred {
		if t.accepts(p) {
			return p
		}
	}
	return ""
}

// bound returns the largest size that has the same shape and is within the target, and
// not larger than the given one.
func (t Target) bound(width, height int) (int, int) {
	scale := 1.0
	limit := func(most, is float64) {
		if most > 0 && is > most {
			scale = min(scale, most/is)
		}
	}
	limit(float64(t.MaxWidth), float64(width))
	limit(float64(t.MaxHeight), float64(height))
	limit(float64(t.MaxSides), float64(width+height))
	if pixels := float64(width) * float64(height); t.MaxPixels > 0 && pixels > float64(t.MaxPixels) {
		scale = min(scale, math.Sqrt(float64(t.MaxPixels)/pixels))
	}
	return scaled(width, height, scale)
}

// scaled returns a size in the same shape, at least 1 × 1.
func scaled(width, height int, scale float64) (int, int) {
	if scale >= 1 {
		return width, height
	}
	return max(1, int(float64(width)*scale)), max(1, int(float64(height)*scale))
}

// fitsAspect reports whether the ratio of the sides is allowed. A pixel more or less does
// not matter.
func (t Target) fitsAspect(width, height int) bool {
	w, h := float64(width), float64(height)
	return width == 0 || height == 0 || (t.MinAspect == 0 || w+1 >= t.MinAspect*h) && (t.MaxAspect == 0 || w <= t.MaxAspect*(h+1))
}

// ratio returns that of the longer side to the shorter one, 1 for files without a size.
func ratio(width, height int) float64 {
	if width == 0 || height == 0 {
		return 1
	}
	return float64(max(width, height)) / float64(min(width, height))
}
