package schedctl

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTitle is the longest title of a post, in Unicode code points.
const MaxTitle = 140

// CheckTitle returns a [ValidationFailed] error for a text that cannot be the title of a
// post.
func CheckTitle(title string) error {
	switch {
	case utf8.RuneCountInString(title) > MaxTitle:
		return Errorf(ValidationFailed, "title", "title must have at most %d characters", MaxTitle)
	case !utf8.ValidString(title) || strings.ContainsFunc(title, unicode.IsControl):
		return Errorf(ValidationFailed, "title", "title must not contain control characters")
	}
	return nil
}

// PostStyle says what the first part of a post consists of, as named by the client that
// wrote the post. It is empty if the client named nothing.
type PostStyle string

// The styles of a post.
const (
	StyleText      PostStyle = "text"
	StyleTextMedia PostStyle = "text_media"
	StyleMediaOnly PostStyle = "media_only"
	StyleVideoOnly PostStyle = "video_only"
)

// PostStyles lists every style.
func PostStyles() []PostStyle {
	return []PostStyle{StyleText, StyleTextMedia, StyleMediaOnly, StyleVideoOnly}
}

// removeOldStyle removes the style that the post had before an edit which names none, if
// it is not known to be true after the edit.
func (p *Post) removeOldStyle(was *Post) {
	fits := true
	switch p.Style {
	case StyleText:
		fits = p.Text != "" && len(p.Media) == 0
	case StyleTextMedia:
		fits = p.Text != "" && len(p.Media) > 0
	case StyleMediaOnly:
		fits = p.Text == "" && len(p.Media) > 0
	case StyleVideoOnly:
		fits = p.Text == "" && slices.Equal(p.Media, was.Media)
	}
	if !fits {
		p.Style = ""
	}
}
