package publish

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// Media describes one file of a post.
type Media struct {
	AssetID  string
	FileName string
	MIMEType string
	Size     int64 // in bytes
	SHA256   [32]byte
	Width    int // as displayed, in pixels; 0 if not known
	Height   int
	Duration time.Duration
	Animated bool
	AltText  string
}

// Class returns the class of the file, such as [schedctl.MediaImage].
func (m *Media) Class() schedctl.MediaClass { return schedctl.MediaClassOf(m.MIMEType) }

// File is one file to publish. Its Media describes the bytes that Open returns, which
// fit the rules of the account: a scaled copy if the original did not.
type File struct {
	Media

	// Open returns the bytes, without metadata such as the place where a picture was
	// taken. The caller must close the reader. It may be called several times.
	Open func(ctx context.Context) (io.ReadCloser, error)

	// Upload is what [Uploader].Upload returned for this file, processed. It is the zero
	// value for publishers that send files with the post.
	Upload Upload
}

// MediaRules are the files that a network takes from an account. Zero means no limit,
// except for Classes.
type MediaRules struct {
	MaxFiles  int
	Classes   map[schedctl.MediaClass]ClassRules // a class that is missing is refused
	MaxAlt    int                                // characters of an alt text; a longer one is refused
	NoAlt     bool                               // the network has no alt texts; they are not sent
	Mixed     bool                               // files of different classes may be in one post
	MaxVideos int                                // videos and GIFs in one post; 0 for MaxFiles
}

// ClassRules are the limits of one class of files.
type ClassRules struct {
	Types     []string // MIME types; others are converted if possible
	MaxBytes  int64
	MaxWidth  int
	MaxHeight int
	MaxPixels int
	MaxSum    int     // of width and height
	MaxRatio  float64 // of the longer side to the shorter side
	MaxTime   time.Duration
}

// MediaPublisher is a publisher whose network takes files.
type MediaPublisher interface {
	// MediaRules returns the rules for an account. It sends no request and reads only
	// the account's limits and options.
	MediaRules(schedctl.Account) MediaRules
}

// Uploader is a [MediaPublisher] whose network takes each file in a request before the
// post. Nobody can see an upload before the post, so it may be repeated at any time.
type Uploader interface {
	MediaPublisher

	// Upload sends one file. The error is an [*Error] with the outcome not_published.
	Upload(ctx context.Context, r Request, f File) (Upload, error)

	// Processed asks whether the network has processed an upload, and returns it with
	// Ready set when it has. An error of kind media means that the network refuses the
	// file. It is called only while Ready is false.
	Processed(ctx context.Context, r Request, u Upload) (Upload, error)
}

// Upload is a file that a network has.
type Upload struct {
	ID        string    // the network's id, or whatever the publisher needs to refer to it
	Ready     bool      // it can be published
	ExpiresAt time.Time // when the network may forget it; zero if it stays
}

// CheckMedia adds the problems and warnings of media to a check. fixable reports
// whether a file that breaks the limits of its class can be made to fit.
func CheckMedia(c *Check, p Publisher, account schedctl.Account, media []Media, fixable func(Media, ClassRules) bool) {
	if len(media) == 0 {
		return
	}
	mp, ok := p.(MediaPublisher)
	if !ok {
		c.Problems = append(c.Problems, Contentf("media", "%s takes no media here; remove them, or leave the account out", p.Platform()))
		return
	}
	rules := mp.MediaRules(account)
	if rules.MaxFiles > 0 && len(media) > rules.MaxFiles {
		c.Problems = append(c.Problems, Contentf("media", "the post has %d files and the network takes %d; remove some", len(media), rules.MaxFiles))
	}
	checkMixture(c, rules, media)
	for i := range media {
		checkFile(c, rules, i, &media[i], fixable)
	}
}

// checkMixture checks which classes are together in the post.
func checkMixture(c *Check, rules MediaRules, media []Media) {
	videos := 0
	for i := range media {
		if class := media[i].Class(); class == schedctl.MediaVideo || class == schedctl.MediaGIF {
			videos++
		}
	}
	switch most := cmp.Or(rules.MaxVideos, rules.MaxFiles); {
	case !rules.Mixed && videos > 0 && videos < len(media):
		c.Problems = append(c.Problems, Contentf("media", "the network takes no pictures together with a video or GIF; split the post"))
	case most > 0 && videos > most:
		c.Problems = append(c.Problems, Contentf("media", "the post has %d videos or GIFs and the network takes %d; remove some", videos, most))
	}
}

// checkFile checks one file.
func checkFile(c *Check, rules MediaRules, i int, m *Media, fixable func(Media, ClassRules) bool) {
	code := fmt.Sprintf("media[%d]", i)
	limits, takes := rules.Classes[m.Class()]
	switch {
	case !takes:
		c.Problems = append(c.Problems, Contentf(code, "the network takes no files of type %s; it takes %s", m.MIMEType, takenTypes(rules)))
	case !limits.Fits(m) && !fixable(*m, limits):
		c.Problems = append(c.Problems, Contentf(code, "the network does not take this file, and it cannot be converted: %s", limits.misfit(m)))
	}
	switch n := len([]rune(m.AltText)); {
	case n > 0 && rules.NoAlt:
		c.Warnings = append(c.Warnings, fmt.Sprintf("the network has no alt texts; that of file %d is not sent", i+1))
	case rules.MaxAlt > 0 && n > rules.MaxAlt:
		c.Problems = append(c.Problems, Contentf(code, "its alt text has %d characters and the network allows %d; shorten it", n, rules.MaxAlt))
	case n == 0 && !rules.NoAlt:
		c.Warnings = append(c.Warnings, fmt.Sprintf("file %d has no alt text; people who cannot see it learn nothing of it", i+1))
	}
}

// Fits reports whether a file is within the limits as it is.
func (l ClassRules) Fits(m *Media) bool { return l.misfit(m) == "" }

// misfit says which limit a file breaks, or is empty.
func (l ClassRules) misfit(m *Media) string {
	w, h := m.Width, m.Height
	switch {
	case len(l.Types) > 0 && !slices.Contains(l.Types, m.MIMEType):
		return fmt.Sprintf("its type is %s, and the network takes %s", m.MIMEType, strings.Join(l.Types, ", "))
	case l.MaxBytes > 0 && m.Size > l.MaxBytes:
		return fmt.Sprintf("it has %d bytes, and the network takes %d", m.Size, l.MaxBytes)
	case l.MaxWidth > 0 && w > l.MaxWidth, l.MaxHeight > 0 && h > l.MaxHeight, l.MaxPixels > 0 && w*h > l.MaxPixels, l.MaxSum > 0 && w+h > l.MaxSum:
		return fmt.Sprintf("it has %d x %d pixels, which is more than the network takes", w, h)
	case l.MaxRatio > 0 && w > 0 && h > 0 && float64(max(w, h)) > l.MaxRatio*float64(min(w, h)):
		return fmt.Sprintf("it has %d x %d pixels, and the network takes no file that is so long", w, h)
	case l.MaxTime > 0 && m.Duration > l.MaxTime:
		return fmt.Sprintf("it takes %s, and the network takes %s", m.Duration.Round(time.Second), l.MaxTime)
	}
	return ""
}

// takenTypes lists the types that a network takes.
func takenTypes(rules MediaRules) string {
	var list []string
	for _, t := range schedctl.MediaTypes() {
		if limits, ok := rules.Classes[schedctl.MediaClassOf(t)]; ok && (len(limits.Types) == 0 || slices.Contains(limits.Types, t)) {
			list = append(list, t)
		}
	}
	return strings.Join(list, ", ")
}
