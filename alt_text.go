package schedctl

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// MaxAltText is the longest alt text, in Unicode code points.
const MaxAltText = 10000

// CheckAltText returns an error for an alt text that is too long, is not valid
// UTF-8 or holds a NUL. Errors: [ValidationFailed].
func CheckAltText(field, text string) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return Errorf(ValidationFailed, field, "the alt text is not valid UTF-8")
	case strings.ContainsRune(text, 0):
		return Errorf(ValidationFailed, field, "the alt text holds a NUL character; remove it")
	case n > MaxAltText:
		return Errorf(ValidationFailed, field, "the alt text has %d characters; the limit is %d", n, MaxAltText)
	}
	return nil
}

// AltTextOf returns the alt text of an asset, empty for a missing one.
type AltTextOf func(assetID string) (string, error)

// ShowsAltText reports whether a file of the post has this asset and this alt text. The
// picture of a link card has no alt text.
func (p *Post) ShowsAltText(assetID, text string) (shows bool) {
	p.EachMedia(func(field string, list *[]PostMedia) error {
		for _, m := range *list {
			shows = shows || field != cardImage && m.AssetID == assetID && m.AltText == text
		}
		return nil
	})
	return shows
}

// CopyAltTexts gives the files of a post of an earlier version, in which they could follow
// their assets, the alt texts that they have shown. A review stays valid, and covers the
// title, which reviews of earlier versions did not. It reports whether the post has changed.
func (p *Post) CopyAltTexts(of AltTextOf) (changed bool, err error) {
	old := *p
	old.Title = ""
	before, digest, decided := old.reviewedText(), old.ReviewDigest(), p.LastDecided()
	changed, err = copyAltTexts(p.EachMedia, of)
	if changed = changed || p.Title != "" && (p.Approval != nil || p.Decided != ""); err != nil || !changed {
		return false, err
	}
	if p.Approval != nil && p.Approval.Digest == digest {
		p.Approval = new(*p.Approval)
		p.Approval.Digest = p.ReviewDigest()
	}
	switch {
	case p.Decided == string(before):
		p.Decided = string(p.reviewedText())
	case decided != nil:
		p.Decided, err = decided.withAltTexts(of)
	}
	return true, err
}

// CopyAltTexts is [Post.CopyAltTexts] for the template of a series.
func (s *Series) CopyAltTexts(of AltTextOf) (changed bool, err error) {
	old := *s
	old.Template.Title = ""
	digest := old.ReviewDigest()
	if changed, err = s.Template.CopyAltTexts(of); err != nil || !changed {
		return false, err
	}
	if a := s.Template.Approval; a != nil && a.Digest == digest {
		s.Template.Approval = new(*a)
		s.Template.Approval.Digest = s.ReviewDigest()
	}
	return true, nil
}

// withAltTexts returns r as it is stored, with all alt texts.
func (r *Reviewed) withAltTexts(of AltTextOf) (string, error) {
	_, err := copyAltTexts(func(visit MediaVisitor) error {
		content := r.Content.ChangeTo()
		if err := content.EachMedia("media", visit); err != nil {
			return err
		}
		for i := range r.Overrides {
			if err := r.Overrides[i].EachMedia("target_overrides", visit); err != nil {
				return err
			}
		}
		return nil
	}, of)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(r)
	return string(text), err
}

// copyAltTexts sets the missing alt texts of all media that each visits.
func copyAltTexts(each func(MediaVisitor) error, of AltTextOf) (changed bool, err error) {
	err = each(func(field string, list *[]PostMedia) error {
		for i := range *list {
			m := &(*list)[i]
			if m.HasAltText {
				continue
			}
			if field != cardImage {
				if m.AltText, err = of(m.AssetID); err != nil {
					return err
				}
			}
			m.HasAltText, changed = true, true
		}
		return nil
	})
	return changed, err
}
