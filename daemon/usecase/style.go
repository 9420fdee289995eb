package usecase

import (
	"slices"

	"github.com/schedctl/schedctl"
)

// checkStyle reads the assets of a post. It returns an error with the code
// VALIDATION_FAILED if the post has another style than the given one; nil fits every post.
// A file without an asset, or whose type is not known before its upload, counts as a video.
func (d *Decision) checkStyle(style *schedctl.PostStyle, p *schedctl.Post) error {
	if err := d.readAssets(p); err != nil || style == nil {
		return err
	}
	complaint := ""
	switch of := *style; {
	case of == schedctl.StyleText && len(p.Media) > 0:
		complaint = "has media; use text_media"
	case of == schedctl.StyleTextMedia && len(p.Media) == 0:
		complaint = "has no media; use text"
	case of == schedctl.StyleTextMedia && p.Text == "":
		complaint = "has no text; use media_only"
	case (of == schedctl.StyleMediaOnly || of == schedctl.StyleVideoOnly) && len(p.Media) == 0:
		complaint = "has no media; use text"
	case (of == schedctl.StyleMediaOnly || of == schedctl.StyleVideoOnly) && p.Text != "":
		complaint = "has a text; use text_media"
	case of == schedctl.StyleVideoOnly && !onlyVideos(p.Media, d.assets):
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
