package mediafile

import "time"

// The media types that Inspect accepts.
const (
	PNG       = "image/png"
	JPEG      = "image/jpeg"
	WebP      = "image/webp"
	GIF       = "image/gif"
	MP4       = "video/mp4"
	QuickTime = "video/quicktime"
	WebM      = "video/webm"
	PDF       = "application/pdf"
)

// Facts is what the structure of a media file says about it.
type Facts struct {
	MIMEType string

	// Width and Height are in pixels, as displayed: after the rotation that EXIF or a
	// video track asks for. They are 0 for documents.
	Width, Height int

	// Duration is that of a video or of one run of an animation. It is 0 for still
	// pictures, for documents, and for videos that do not record it.
	Duration time.Duration

	// Frames is the number of pictures in an image, 1 for a still picture. It is 0 for
	// videos and documents.
	Frames   int
	Animated bool

	// Alpha reports whether a picture may have transparent pixels.
	Alpha bool

	// Orientation is the EXIF orientation, 1 to 8. It is 1 for upright pictures and for
	// all files that are not pictures.
	Orientation int

	// HasMetadata reports whether Strip would change the file.
	HasMetadata bool
}

// Pixels returns the number of pixels of one frame.
func (f Facts) Pixels() int64 { return int64(f.Width) * int64(f.Height) }

// Kind is a group of media types with the same size limit.
type Kind string

// The kinds of media.
const (
	Image     Kind = "image"
	Animation Kind = "gif"
	Video     Kind = "video"
	Document  Kind = "document"
)

// KindOf returns the kind of an accepted media type, "" for other types. All GIF files
// are of the kind Animation.
func KindOf(mimeType string) Kind {
	switch mimeType {
	case PNG, JPEG, WebP:
		return Image
	case GIF:
		return Animation
	case MP4, QuickTime, WebM:
		return Video
	case PDF:
		return Document
	}
	return ""
}

// Extension returns the usual file name extension of an accepted media type, with its
// dot, "" for other types.
func Extension(mimeType string) string {
	return map[string]string{
		PNG: ".png", JPEG: ".jpg", WebP: ".webp", GIF: ".gif",
		MP4: ".mp4", QuickTime: ".mov", WebM: ".webm", PDF: ".pdf",
	}[mimeType]
}

// Limits bound what a decoder would have to hold in memory. A zero limit is no limit.
type Limits struct {
	// MaxPixels is for one picture, or for one frame of an animation.
	MaxPixels int64

	// MaxAnimationPixels is for all frames of an animation together. Each frame counts
	// with the size of the canvas, because viewers draw all of it.
	MaxAnimationPixels int64

	// MaxFrames is for an animation.
	MaxFrames int

	// MaxMetadata is how many pieces of metadata a file may have: parts that Strip would
	// remove or overwrite.
	MaxMetadata int64

	// MaxScans is how many scans a JPEG picture may have. Each passes over all pixels,
	// even one of a few bytes.
	MaxScans int

	// MaxScanPixels is for the pixels of a JPEG picture multiplied by its scans.
	MaxScanPixels int64
}

// DefaultLimits are the limits of the contract: 50 megapixels, 200 megapixels in all
// frames, 5,000 frames, 20,000 pieces of metadata, 100 scans. Programs write 6 to 14
// scans, so that a picture of 50 megapixels has 700 megapixels in all its scans.
var DefaultLimits = Limits{
	MaxPixels: 50e6, MaxAnimationPixels: 200e6, MaxFrames: 5000,
	MaxMetadata: 20_000, MaxScans: 100, MaxScanPixels: 1e9,
}

// checkSize returns a TooLargeError if a picture of this size exceeds the limits.
func (l Limits) checkSize(width, height int) error {
	if n := int64(width) * int64(height); l.MaxPixels > 0 && n > l.MaxPixels {
		return &TooLargeError{Width: width, Height: height, Pixels: n, MaxPixels: l.MaxPixels}
	}
	return nil
}

// checkFrames returns a TooLargeError if an animation of that many frames exceeds the
// limits.
func (l Limits) checkFrames(width, height, frames int) error {
	if l.MaxFrames > 0 && frames > l.MaxFrames {
		return &TooLargeError{Width: width, Height: height, Frames: frames, MaxFrames: l.MaxFrames}
	}
	n := int64(width) * int64(height) * int64(frames)
	if frames > 1 && l.MaxAnimationPixels > 0 && n > l.MaxAnimationPixels {
		return &TooLargeError{Width: width, Height: height, Frames: frames, Pixels: n, MaxPixels: l.MaxAnimationPixels}
	}
	return nil
}
