package publish

import (
	"cmp"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
)

// Shown returns what the request shows, for [Publisher].Check.
func (r *Request) Shown() Content {
	c := Content{Text: r.Content, Kind: r.Kind, Extras: r.Extras}
	for i := range r.Files {
		c.Media = append(c.Media, r.Files[i].Media)
	}
	return c
}

// Empty reports whether the content shows nothing: no media, and no text but white
// space.
func (c Content) Empty() bool { return len(c.Media) == 0 && strings.TrimSpace(c.Text) == "" }

// LimitWithMedia sets the limit of the text of a content that has media. It does nothing
// for one without media.
func (c *Check) LimitWithMedia(content Content, limit int) {
	if len(content.Media) > 0 {
		c.lower(limit, "the post has %d %s, and the network allows %d together with media; shorten the text, or remove the media")
	}
}

// lower replaces the limit of the text. The format of the message gets the length, the
// unit and the limit.
func (c *Check) lower(limit int, format string) {
	c.Limit = limit
	c.Problems = slices.DeleteFunc(c.Problems, func(e *Error) bool { return e.Code == "too_long" })
	if c.Length > limit {
		c.Problems = append(c.Problems, Contentf("too_long", format, c.Length, c.Unit, limit))
	}
}

// PublicName returns the user's name of a file for a network that shows it to readers.
// Its extension is that of the type, because the file may have been converted.
func PublicName(f File) string {
	name, extension := schedctl.CleanFileName(f.FileName), extensions[f.MIMEType]
	base := name
	if at := strings.LastIndexByte(name, '.'); at > 0 && len(name)-at <= len(".quicktime") {
		base = name[:at]
	}
	return cmp.Or(base, "file") + extension
}

// FileTooLarge returns the error of a network that takes only smaller files than those
// of the request. maxBytes is how many bytes it takes, or 0 if that is not known.
func FileTooLarge(status int, maxBytes int64) *Error {
	e := MediaError(CodeFileTooLarge, "a file of the post has more bytes than the network takes; use a smaller file")
	e.HTTPStatus, e.MaxBytes = status, maxBytes
	return e
}
