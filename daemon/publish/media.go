package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
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

// Class returns the class of the file, such as [schedctl.MediaImage]. A GIF without an
// animation is a picture.
func (m *Media) Class() schedctl.MediaClass {
	a := schedctl.MediaAsset{MIMEType: m.MIMEType, Duration: m.Duration}
	return a.Class()
}

// File is one file to publish. Its Media describes the bytes that Open returns, which
// fit the rules of the account: a scaled copy if the original did not. AltText is empty
// if the rules have NoAlt.
type File struct {
	Media

	// Open returns the bytes, without metadata such as the place where a picture was
	// taken. The caller must close the reader. It may be called several times. It is nil
	// if the rules have Fetched.
	Open func(ctx context.Context) (io.ReadCloser, error)

	// URL is where anyone can fetch the bytes for some days. It is set only if the rules
	// have Fetched.
	URL string

	// Upload is the result of [Uploader].Upload, and Ready. It is the zero value for a
	// publisher that is no Uploader, and in calls of Upload and Find.
	Upload Upload
}

// Total returns the number of bytes of all files that the daemon sends.
func Total(files []File) int64 {
	var n int64
	for i := range files {
		if files[i].Open != nil {
			n += files[i].Size
		}
	}
	return n
}

// MediaRules are the files that a network takes from an account. Zero means no limit,
// except for Classes.
type MediaRules struct {
	MaxFiles  int
	Classes   map[schedctl.MediaClass]ClassRules // a class that is missing is refused
	MaxAlt    int                                // characters of an alt text; a longer one is refused
	NoAlt     bool                               // the network has no alt texts; they are not sent
	Refused   string                             // why the account takes no media, and what to do; otherwise empty
	Mixed     bool                               // files of different classes may be in one post
	MaxVideos int                                // videos and GIFs in one post; 0 for MaxFiles

	// Fetched means that the network, or the reader of a feed, fetches files from the
	// daemon by [File].URL. The files are not sent with the post.
	Fetched bool

	// UploadLife is how long the network keeps an upload that no post refers to, if that
	// is less than a quarter of an hour. Files are then uploaded right before the post.
	UploadLife time.Duration
}

// ClassRules are the limits of one class of files.
type ClassRules struct {
	Types     []string // MIME types; others are converted if possible
	MaxBytes  int64
	MaxPNG    int64 // bytes above which a PNG picture without transparency becomes a JPEG
	MaxWidth  int
	MaxHeight int
	MaxPixels int
	MaxSum    int     // of width and height
	MaxRatio  float64 // of the longer side to the shorter side
	MinAspect float64 // of the width to the height
	MaxAspect float64
	MaxTime   time.Duration

	// Ahead is how long before the post files of this class are uploaded, for a network
	// that processes them for a while and keeps them longer than UploadLife. It is 0 for
	// the usual time.
	Ahead time.Duration
}

// AnyFile returns the rules for files of every class, without limits.
func AnyFile() map[schedctl.MediaClass]ClassRules {
	return map[schedctl.MediaClass]ClassRules{
		schedctl.MediaImage: {}, schedctl.MediaGIF: {}, schedctl.MediaVideo: {}, schedctl.MediaDocument: {},
	}
}

// MediaPublisher is a publisher whose network takes files. Publish sends every file of
// Request.Files or fails: a post is never published with fewer files. If the network's
// response shows that it dropped one, the receipt says so with [DegradedMedia].
type MediaPublisher interface {
	// MediaRules returns the rules for an account. It sends no request and reads only
	// the account's limits and options.
	MediaRules(schedctl.Account) MediaRules
}

// Uploader is a [MediaPublisher] whose network takes each file in a request before the
// post. An upload is not visible before the post, so it may be repeated at any time.
// Uploads start before the post is due. Their requests are not guarded by the lease of
// an attempt.
type Uploader interface {
	MediaPublisher

	// Upload sends one file. Request.Files is empty; the file's own name, if the network
	// needs one, must come from [UploadName]. The error is an [*Error] with the outcome
	// not_published. If the network refuses the file, its kind is media, and
	// [CodeFileTooLarge] asks for a smaller one.
	Upload(ctx context.Context, r Request, f File) (Upload, error)

	// Processed asks whether the network has processed an upload, and returns it with
	// Ready set when it has. An error of kind media means that the network refuses the
	// file, and [CodeUploadLost] that it does not have it. It is called only while Ready
	// is false, first after a second and then less and less often.
	Processed(ctx context.Context, r Request, u Upload) (Upload, error)
}

// AddressNeeder is a [MediaPublisher] whose network fetches files from the daemon and takes
// only public https addresses.
type AddressNeeder interface {
	// AddressProblem returns what cannot be published because the daemon has no such
	// address, and what to do. It is empty if the daemon has one.
	AddressProblem() string
}

// AccountWarner is a [Publisher] that warns, in [Profile.Warnings], of credentials with which
// posts fail.
type AccountWarner interface {
	// Prevents reports whether a warning about an account means that a post with this number
	// of files will fail.
	Prevents(warning string, files int) bool
}

// Upload is a file that a network has.
type Upload struct {
	ID        string    // the network's id, or whatever the publisher needs to refer to it
	Ready     bool      // it can be published
	ExpiresAt time.Time // when the network may forget it; zero if it stays
	ReadyAt   time.Time // when it can be published, if the network does not say; otherwise zero
	SentAt    time.Time // when the network got it; zero if the publisher does not need that
}

// UploadName returns a file name for an upload that no other upload of the account has:
// some servers overwrite the earlier file of the same name. The name does not depend on
// the user's file name, and has the usual extension of the type.
func UploadName(r Request, f File) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%x", r.TargetID, f.AssetID, f.SHA256)
	if r.Part > 0 {
		fmt.Fprintf(h, "\n%d", r.Part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]) + extensions[f.MIMEType]
}

// Extension returns the usual extension of a MIME type with its dot, or the empty string.
func Extension(mimeType string) string { return extensions[mimeType] }

var extensions = map[string]string{
	"application/pdf": ".pdf", "image/gif": ".gif", "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp",
	"video/mp4": ".mp4", "video/quicktime": ".mov", "video/webm": ".webm",
}

// DegradedMedia returns the degradation of a receipt if a network's response shows
// fewer or more files than were sent. It is the zero value if the numbers are equal.
func DegradedMedia(sent, shown int) schedctl.Degradation {
	if sent == shown {
		return schedctl.Degradation{}
	}
	return schedctl.Degradation{
		Code:    "media",
		Message: fmt.Sprintf("the network shows %d of the %d files of the post; check the post there, and delete it if that is not what you want", shown, sent),
	}
}

// MediaError returns the error of a network that refuses a file, with the outcome
// not_published.
func MediaError(code, format string, args ...any) *Error {
	return &Error{Kind: schedctl.KindMedia, Code: code, Message: fmt.Sprintf(format, args...), Outcome: schedctl.OutcomeNotPublished}
}

// UnreadableFile returns the error of a request for which the daemon cannot read a file, with
// the outcome not_published. If err is an [*Error] already, it returns that.
func UnreadableFile(err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := MediaError(CodeUnreadable, "the daemon cannot read a file of the post; upload the file again, attach it and retry")
	e.Err = err
	return e
}

// UploadLost returns the error of a post whose file has to be uploaded again, with
// [CodeUploadLost] and the outcome not_published. status is 0 if there was no response.
func UploadLost(status int, message string) *Error {
	return &Error{Kind: schedctl.KindPlatform, Code: CodeUploadLost, HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished, Message: message}
}

// CheckFetched returns an error if a file has no https address from which a network can
// fetch it. does starts the message, such as "Threads fetches files".
func CheckFetched(files []File, does string) error {
	for i, f := range files {
		if !strings.HasPrefix(f.URL, "https://") {
			return MediaError(CodeUnreadable, "%s from an https address, and the daemon has none for file %d of the post; start it with --public-url https://… and retry", does, i+1)
		}
	}
	return nil
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
	if rules.Refused != "" {
		c.Problems = append(c.Problems, Contentf("media", "%s", rules.Refused))
		return
	}
	if rules.MaxFiles > 0 && len(media) > rules.MaxFiles {
		c.Problems = append(c.Problems, Contentf("media", "the post has %d files and the network takes %d; remove some", len(media), rules.MaxFiles))
	}
	checkMixture(c, rules, media)
	for i := range media {
		checkFile(c, rules, i, &media[i], fixable)
		if media[i].AltText == "" && account.Options.Bool(schedctl.OptionRequireAlt) {
			c.Problems = append(c.Problems, Contentf(fmt.Sprintf("media[%d]", i), "file %d has no alt text, and the option %s of the account demands one; add an alt text", i+1, schedctl.OptionRequireAlt))
		}
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
	if (m.Animated || m.Duration > 0) && m.Class() == schedctl.MediaImage && len(limits.Types) > 0 && slices.Contains(limits.Types, m.MIMEType) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("file %d is an animation of type %s; the network may show only its first frame", i+1, m.MIMEType))
	}
	switch n := len([]rune(m.AltText)); {
	case n > 0 && rules.NoAlt:
		c.Warnings = append(c.Warnings, fmt.Sprintf("the network has no alt texts; that of file %d is not sent", i+1))
	case rules.MaxAlt > 0 && n > rules.MaxAlt:
		c.Problems = append(c.Problems, Contentf(code, "its alt text has %d characters and the network allows %d; shorten it", n, rules.MaxAlt))
	}
}

// Equal reports whether two limits are the same.
func (l ClassRules) Equal(o ClassRules) bool {
	if !slices.Equal(l.Types, o.Types) {
		return false
	}
	l.Types, o.Types = nil, nil
	return reflect.DeepEqual(l, o)
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
	case !l.FitsAspect(w, h):
		return fmt.Sprintf("it has %d x %d pixels, and the network takes a ratio of width to height of %.4g to %.4g", w, h, l.MinAspect, l.MaxAspect)
	case l.MaxTime > 0 && m.Duration > l.MaxTime:
		return fmt.Sprintf("it takes %s, and the network takes %s", m.Duration.Round(time.Second), l.MaxTime)
	}
	return ""
}

// FitsAspect reports whether the ratio of the sides is allowed. A pixel more or less does
// not matter. A size that is not known is allowed.
func (l ClassRules) FitsAspect(width, height int) bool {
	if width <= 0 || height <= 0 {
		return true
	}
	w, h := float64(width), float64(height)
	return (l.MinAspect == 0 || w+1 >= l.MinAspect*h) && (l.MaxAspect == 0 || w <= l.MaxAspect*(h+1))
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
