package media

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Limits are what a daemon accepts. Sizes are in bytes.
type Limits struct {
	Image, GIF, Video, Document int64 // the largest file of each class

	PerPost   int           // the most files of one post
	Quota     int64         // the most bytes of one workspace
	UploadURL time.Duration // how long the URL of an announced upload is valid
	Keep      time.Duration // how long a file is kept after its last publication
}

// DefaultLimits are the limits of a daemon without flags.
var DefaultLimits = Limits{
	Image: 20e6, GIF: 20e6, Video: 300e6, Document: 50e6,
	PerPost: 20, Quota: 10e9, UploadURL: 24 * time.Hour, Keep: UsedLife,
}

// Of returns the largest size of a class.
func (l *Limits) Of(class schedctl.MediaClass) int64 {
	switch class {
	case schedctl.MediaImage:
		return l.Image
	case schedctl.MediaGIF:
		return l.GIF
	case schedctl.MediaVideo:
		return l.Video
	}
	return l.Document
}

// Largest returns the size of the largest file of any class.
func (l *Limits) Largest() int64 { return max(l.Image, l.GIF, l.Video, l.Document) }

// UploadLinkLife is how long an upload link takes a file.
const UploadLinkLife = 15 * time.Minute

// How long assets are kept that no post needs.
const (
	PendingLife = 24 * time.Hour      // announced and never confirmed, or failed
	UnusedLife  = 7 * 24 * time.Hour  // ready and in no post
	UsedLife    = 30 * 24 * time.Hour // after the last publication; the default of Limits.Keep
)

// blobLife is how long a blob without an asset is kept: longer than any request takes
// between storing a blob and committing its asset.
const blobLife = 24 * time.Hour
