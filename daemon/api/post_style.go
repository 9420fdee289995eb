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
