package media

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Target returns the limits of a network as package variant takes them.
func Target(l publish.ClassRules) variant.Target {
	return variant.Target{
		Types: l.Types, MaxBytes: l.MaxBytes, MaxPNG: l.MaxPNG, MaxWidth: l.MaxWidth, MaxHeight: l.MaxHeight,
		MaxSides: l.MaxSum, MaxPixels: int64(l.MaxPixels), MaxRatio: l.MaxRatio, MaxDuration: l.MaxTime,
		MinAspect: l.MinAspect, MaxAspect: l.MaxAspect,
	}
}

// Plan returns what the daemon does so that a file fits the limits of its class, as far
// as the stored facts of the file show it. The error says why nothing helps.
func Plan(m publish.Media, l publish.ClassRules) (variant.Fix, error) {
	return variant.Plan(mediafile.Facts{
		MIMEType: m.MIMEType, Width: m.Width, Height: m.Height, Duration: m.Duration, Frames: 1, Animated: m.Animated, Orientation: 1,
	}, m.Size, Target(l))
}

// Describe returns the description of an asset for publishers, with the alt text of a post.
func Describe(a *schedctl.MediaAsset, p *schedctl.PostMedia) publish.Media {
	m := publish.Media{
		AssetID: a.ID, FileName: a.FileName, MIMEType: a.MIMEType, Size: a.Size, SHA256: a.SHA256,
		Width: a.Width, Height: a.Height, Duration: a.Duration, AltText: p.AltText,
	}
	class := m.Class()
	m.Animated = a.Duration > 0 && (class == schedctl.MediaImage || class == schedctl.MediaGIF)
	return m
}
