package api

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
)

// style reads the field post_style, empty for null.
func (d *decoder) style() schedctl.PostStyle {
	if d.null() {
		return ""
	}
	text, ok := d.text()
	if ok && !slices.Contains(schedctl.PostStyles(), schedctl.PostStyle(text)) {
		d.wrong(schedctl.ValidationFailed, "must be one of text, text_media, media_only, video_only")
		return ""
	}
	return schedctl.PostStyle(text)
}

// title reads the field title without white space around it, empty for null.
func (d *decoder) title() string {
	if d.null() {
		return ""
	}
	text, ok := d.text()
	text = strings.TrimSpace(text)
	if err := schedctl.CheckTitle(text); ok && err != nil {
		d.refuse(err)
		return ""
	}
	return text
}

// checkStyle returns an error with the code VALIDATION_FAILED if a post with this text and
// these files has another style. It returns nil for no style. A file without an asset, or
// whose type is not known before its upload, counts as a video.
func checkStyle(style *schedctl.PostStyle, content string, list []schedctl.PostMedia, assets []schedctl.MediaAsset) error {
	if style == nil {
		return nil
	}
	complaint := ""
	switch p := *style; {
	case p == schedctl.StyleText && len(list) > 0:
		complaint = "has media; use text_media"
	case p == schedctl.StyleTextMedia && len(list) == 0:
		complaint = "has no media; use text"
	case p == schedctl.StyleTextMedia && content == "":
		complaint = "has no text; use media_only"
	case (p == schedctl.StyleMediaOnly || p == schedctl.StyleVideoOnly) && len(list) == 0:
		complaint = "has no media; use text"
	case (p == schedctl.StyleMediaOnly || p == schedctl.StyleVideoOnly) && content != "":
		complaint = "has a text; use text_media"
	case p == schedctl.StyleVideoOnly && !onlyVideos(list, assets):
		complaint = "has files that are not videos; use media_only"
	default:
		return nil
	}
	return schedctl.Errorf(schedctl.ValidationFailed, "post_style", "post_style is %s, and the post %s", *style, complaint)
}

func onlyVideos(list []schedctl.PostMedia, assets []schedctl.MediaAsset) bool {
	return !slices.ContainsFunc(assets, func(a schedctl.MediaAsset) bool {
		class := schedctl.MediaClassOf(a.MIMEType)
		return class != "" && class != schedctl.MediaVideo &&
			slices.ContainsFunc(list, func(m schedctl.PostMedia) bool { return m.AssetID == a.ID })
	})
}
