package api

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// postStyle says what a post consists of. The published client of the original service
// sends it, and the daemon compares it with the post. It is not stored. It is empty if a
// request has none.
type postStyle string

const (
	styleText      postStyle = "text"
	styleTextMedia postStyle = "text_media"
	styleMediaOnly postStyle = "media_only"
	styleVideoOnly postStyle = "video_only"
)

var postStyles = []postStyle{styleText, styleTextMedia, styleMediaOnly, styleVideoOnly}

// maxTitle is the longest title of a post, in Unicode code points.
const maxTitle = 140

// style reads the field post_style.
func (d *decoder) style() postStyle {
	text, ok := d.text()
	if ok && !slices.Contains(postStyles, postStyle(text)) {
		d.wrong(schedctl.ValidationFailed, "must be one of text, text_media, media_only, video_only")
		return ""
	}
	return postStyle(text)
}

// title reads and checks the field title, which may be null. The title is not kept.
func (d *decoder) title() {
	if d.null() {
		return
	}
	text, ok := d.text()
	switch text = strings.TrimSpace(text); {
	case !ok:
	case utf8.RuneCountInString(text) > maxTitle:
		d.wrong(schedctl.ValidationFailed, "has more than %d characters", maxTitle)
	case strings.ContainsFunc(text, unicode.IsControl):
		d.wrong(schedctl.ValidationFailed, "must not contain control characters")
	}
}

// check returns an error with the code VALIDATION_FAILED if a post with this text and
// these files has another style. A file without an asset, or whose type is not known
// before its upload, counts as a video.
func (p postStyle) check(content string, list []schedctl.PostMedia, assets []schedctl.MediaAsset) error {
	complaint := ""
	switch {
	case p == styleText && len(list) > 0:
		complaint = "has media; use text_media"
	case p == styleTextMedia && len(list) == 0:
		complaint = "has no media; use text"
	case p == styleTextMedia && content == "":
		complaint = "has no text; use media_only"
	case (p == styleMediaOnly || p == styleVideoOnly) && len(list) == 0:
		complaint = "has no media; use text"
	case (p == styleMediaOnly || p == styleVideoOnly) && content != "":
		complaint = "has a text; use text_media"
	case p == styleVideoOnly && !onlyVideos(list, assets):
		complaint = "has files that are not videos; use media_only"
	default:
		return nil
	}
	return schedctl.Errorf(schedctl.ValidationFailed, "post_style", "post_style is %s, and the post %s", p, complaint)
}

func onlyVideos(list []schedctl.PostMedia, assets []schedctl.MediaAsset) bool {
	return !slices.ContainsFunc(assets, func(a schedctl.MediaAsset) bool {
		class := schedctl.MediaClassOf(a.MIMEType)
		return class != "" && class != schedctl.MediaVideo &&
			slices.ContainsFunc(list, func(m schedctl.PostMedia) bool { return m.AssetID == a.ID })
	})
}
