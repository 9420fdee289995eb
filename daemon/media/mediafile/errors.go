package mediafile

import (
	"fmt"
	"strconv"
)

// TypeError reports a file of a type that is not accepted (MEDIA_TYPE_NOT_ALLOWED).
type TypeError struct {
	Found  string // with its article: "an SVG drawing"
	Advice string // for the user; "" for the general advice
}

func (e *TypeError) Error() string {
	advice := e.Advice
	if advice == "" {
		advice = "use a PNG, JPEG, WebP or GIF picture, an MP4, MOV or WebM video, or a PDF document"
	}
	return "the file is " + e.Found + ", which is not accepted; " + advice
}

// InvalidError reports a file that is damaged, incomplete, followed by other data, or made
// of too many parts
// (MEDIA_INVALID).
type InvalidError struct {
	Type    string // the media type of the file, "" if it is not known
	Problem string // completes a sentence that starts with "the file"
	Offset  int64  // of the problem, in bytes from the start of the file
	Advice  string // for the user

	cause error // ErrTooManyParts or nil
}

// Unwrap returns [ErrTooManyParts] if that is the cause.
func (e *InvalidError) Unwrap() error { return e.cause }

func (e *InvalidError) Error() string {
	subject := "the file"
	if name := formatNames[e.Type]; name != "" {
		subject = "the " + name
	}
	return fmt.Sprintf("%s %s (at byte %d); %s", subject, e.Problem, e.Offset, e.Advice)
}

// formatNames are the words for media types in messages.
var formatNames = map[string]string{
	PNG: "PNG picture", JPEG: "JPEG picture", WebP: "WebP picture", GIF: "GIF picture",
	MP4: "MP4 video", QuickTime: "MOV video", WebM: "WebM video", PDF: "PDF document",
}

// TooLargeError reports a picture with too many pixels or frames (MEDIA_TOO_LARGE).
type TooLargeError struct {
	Width, Height int
	Pixels        int64 // over all frames; 0 if there are too many frames
	MaxPixels     int64
	Frames        int // 0 for a still picture
	MaxFrames     int // set if there are too many frames
}

func (e *TooLargeError) Error() string {
	switch {
	case e.MaxFrames > 0:
		return fmt.Sprintf("the animation has more than %d frames; shorten it, or upload it as an MP4 video", e.MaxFrames)
	case e.Frames > 0:
		return fmt.Sprintf("the animation of %d × %d pixels has more than %s megapixels in all its frames; shorten it, scale it down, or upload it as an MP4 video", e.Width, e.Height, megapixels(e.MaxPixels))
	}
	return fmt.Sprintf("the picture has %d × %d pixels, more than %s megapixels; scale it down", e.Width, e.Height, megapixels(e.MaxPixels))
}

func megapixels(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) }

// damaged returns the error for a part that breaks the rules of its format.
func damaged(offset int64, problem string, args ...any) error {
	return &InvalidError{Problem: fmt.Sprintf(problem, args...), Offset: offset, Advice: "export or save it again"}
}

// truncated returns the error for a file that ends inside a part.
func truncated(offset int64, part string, args ...any) error {
	return &InvalidError{Problem: "ends early, inside " + fmt.Sprintf(part, args...), Offset: offset, Advice: "copy or download the whole file again"}
}

// incomplete returns the error for a file that ends before a required part.
func incomplete(offset int64, part string) error {
	return &InvalidError{Problem: "ends early, without " + part, Offset: offset, Advice: "copy or download the whole file again"}
}

// appended returns the error for other data after the end of a picture or document.
func appended(offset int64, found string) error {
	return &InvalidError{Problem: "is followed by " + found, Offset: offset, Advice: "open it in an editor and save it again, without the appended data"}
}
