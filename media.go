package schedctl

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxFileName is the longest name of a file, in bytes.
const MaxFileName = 255

// MediaAsset is a file that a workspace uploaded for its posts. Its bytes never change.
// Several assets can have the same bytes.
type MediaAsset struct {
	ID          string
	WorkspaceID string
	FileName    string // without directories; the name under which it was uploaded
	MIMEType    string // taken from the bytes; the announced type while it is pending
	Size        int64  // in bytes; the announced size while it is pending
	SHA256      [32]byte
	Width       int           // as displayed, in pixels; 0 if the type has none or it is pending
	Height      int           // likewise
	Duration    time.Duration // of a video or an animation; otherwise 0
	AltText     string        // of posts that attach the asset from now on, unless they give one
	Status      MediaStatus
	Reason      string // why a failed upload failed; otherwise empty
	CreatedAt   time.Time
	UpdatedAt   time.Time

	ServedSize int64  // of the file without metadata, as feeds serve it, in bytes; 0 if it is not known
	UploadedBy string // the API key that uploaded the asset; empty if it is not known

	// ExpiresAt is when the daemon may delete the asset if no post needs it any
	// more.
	ExpiresAt time.Time
}

// MediaStatus says whether the bytes of an asset are there.
type MediaStatus string

// The statuses of assets.
const (
	MediaPending MediaStatus = "pending" // announced; the bytes have not been confirmed
	MediaReady   MediaStatus = "ready"
	MediaFailed  MediaStatus = "failed" // the client gave up, or the bytes were refused

	// MediaDeleted is the status of an asset that a client has deleted while a feed
	// shows it. Clients see no such asset. The daemon keeps it for the feed.
	MediaDeleted MediaStatus = "deleted"
)

// MediaStatuses lists the statuses that clients see.
func MediaStatuses() []MediaStatus { return []MediaStatus{MediaPending, MediaReady, MediaFailed} }

// MediaClass groups the types of media by their limits.
type MediaClass string

// The classes of media.
const (
	MediaImage    MediaClass = "image"
	MediaGIF      MediaClass = "gif"
	MediaVideo    MediaClass = "video"
	MediaDocument MediaClass = "document"
)

// MediaTypes returns the MIME types that assets may have, sorted.
func MediaTypes() []string {
	return []string{
		"application/pdf", "image/gif", "image/jpeg", "image/png", "image/webp", "video/mp4", "video/quicktime", "video/webm",
	}
}

// MediaClassOf returns the class of a MIME type, or "" if assets cannot have it.
func MediaClassOf(mimeType string) MediaClass {
	switch {
	case !slices.Contains(MediaTypes(), mimeType):
		return ""
	case mimeType == "image/gif":
		return MediaGIF
	case strings.HasPrefix(mimeType, "image/"):
		return MediaImage
	case strings.HasPrefix(mimeType, "video/"):
		return MediaVideo
	}
	return MediaDocument
}

// Class returns the class of the file. A GIF without an animation is a picture.
func (a *MediaAsset) Class() MediaClass {
	class := MediaClassOf(a.MIMEType)
	if class == MediaGIF && a.Duration == 0 {
		return MediaImage
	}
	return class
}

// PostMedia is one file of a post.
type PostMedia struct {
	AssetID string

	// SHA256 is that of the bytes, so that a post can never be published with others. It
	// is zero in a draft whose asset was pending when it was attached.
	SHA256 [32]byte

	// AltText is published with the file. Attaching the file sets it to that of the asset if
	// the request gives none, and HasAltText. The picture of a link card has none: the title
	// describes it.
	AltText    string
	HasAltText bool
}

// CopyAltText sets the alt text to that of the asset, unless the file has one in the post.
func (m *PostMedia) CopyAltText(a *MediaAsset) {
	if !m.HasAltText {
		m.AltText, m.HasAltText = a.AltText, true
	}
}

// Matches reports whether the asset has the bytes that the post is about.
func (m *PostMedia) Matches(a *MediaAsset) bool {
	return m.SHA256 == [32]byte{} || m.SHA256 == a.SHA256
}

// CleanFileName returns the last element of a path of any operating system, without
// control characters and characters that are special in headers, at most
// [MaxFileName] bytes long. A long name keeps its extension. The result is "file" if
// nothing is left.
func CleanFileName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || strings.ContainsRune(`":*?<>|`, r) || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, name)
	if name = strings.Trim(name, ". "); name == "" {
		return "file"
	}
	return shortenFileName(name)
}

// maxExtension is how many bytes of a file name count as its extension.
const maxExtension = 16

// shortenFileName cuts a name to [MaxFileName] bytes before its extension.
func shortenFileName(name string) string {
	if len(name) <= MaxFileName {
		return name
	}
	stem, extension := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= maxExtension {
		stem, extension = name[:dot], name[dot:]
	}
	for len(stem)+len(extension) > MaxFileName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	return strings.TrimRight(stem, ". ") + extension
}

// MediaFor returns the media of a target.
func (p *Post) MediaFor(t *Target) []PostMedia {
	if t.Media != nil {
		return t.Media
	}
	return p.Media
}

// AssetIDs returns the ids of all assets that the post and its overrides use, sorted,
// without duplicates.
func (p *Post) AssetIDs() []string {
	var ids []string
	for m := range p.AllMedia() {
		ids = append(ids, m.AssetID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// AllMedia returns the media of all parts, of the overrides, and of the link cards. It
// can return an asset several times.
func (p *Post) AllMedia() iter.Seq[PostMedia] {
	return func(yield func(PostMedia) bool) {
		more := yieldMedia(p.Media, p.Thread, yield)
		if more && p.FirstComment != nil {
			more = yieldMedia(p.FirstComment.Media, nil, yield)
		}
		if more && p.LinkPreview.Image.AssetID != "" {
			more = yield(p.LinkPreview.Image)
		}
		if more && p.Card != nil && p.Card.Image.AssetID != "" {
			more = yield(p.Card.Image)
		}
		for i := 0; more && i < len(p.Targets); i++ {
			more = yieldMedia(p.Targets[i].Media, p.Targets[i].Thread, yield)
		}
	}
}

// yieldMedia yields the media of part 0 and of a thread until yield returns false.
func yieldMedia(media []PostMedia, thread []Part, yield func(PostMedia) bool) bool {
	for _, m := range media {
		if !yield(m) {
			return false
		}
	}
	for i := range thread {
		if !yieldMedia(thread[i].Media, nil, yield) {
			return false
		}
	}
	return true
}

// NeedsMedia reports whether the post may still have to publish media: its status says
// so, or a first comment is not published.
func (p *Post) NeedsMedia() bool {
	for i := range p.Targets {
		if s := p.Targets[i].CommentStatus; s == Publishing || s == Failed {
			return true
		}
	}
	return p.Status().NeedsMedia()
}

// NeedsMedia reports whether posts with this status may still have to publish their
// media. Published and canceled posts do not.
func (s Status) NeedsMedia() bool { return s != Published && s != Canceled }

// checkMedia returns an error if an asset is listed twice. Errors: [ValidationFailed].
func checkMedia(field string, media []PostMedia) error {
	for i, m := range media {
		if slices.ContainsFunc(media[:i], func(other PostMedia) bool { return other.AssetID == m.AssetID }) {
			return Errorf(ValidationFailed, field, "%s is listed twice; a post can show a file once", m.AssetID)
		}
	}
	return nil
}
