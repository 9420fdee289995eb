package schedctl

import "fmt"

// MediaVisitor is called with a list of media and the path of its field. It may change the
// list.
type MediaVisitor func(field string, list *[]PostMedia) error

// cardImage is the field of the picture of a link card.
const cardImage = "link_preview.image"

// EachMedia calls visit for each list of media that the change gives. field is the path of
// the media of part 0. It returns the first error.
func (c *ContentChange) EachMedia(field string, visit MediaVisitor) error {
	if c.Media != nil {
		if err := visit(field, c.Media); err != nil {
			return err
		}
	}
	if c.Thread != nil {
		if err := eachThreadMedia("thread", *c.Thread, visit); err != nil {
			return err
		}
	}
	if c.FirstComment != nil {
		if err := visit("first_comment.media", &c.FirstComment.Media); err != nil {
			return err
		}
	}
	if c.LinkPreview == nil || c.LinkPreview.Image.AssetID == "" {
		return nil
	}
	image := []PostMedia{c.LinkPreview.Image}
	err := visit(cardImage, &image)
	c.LinkPreview.Image = PostMedia{}
	if len(image) > 0 {
		c.LinkPreview.Image = image[0]
	}
	return err
}

// EachMedia calls visit for each list of media of the partial, whose path is field. It
// returns the first error.
func (p *Partial) EachMedia(field string, visit MediaVisitor) error {
	if err := visit(field+".media", &p.Media); err != nil {
		return err
	}
	return eachThreadMedia(field+".thread", p.Thread, visit)
}

func eachThreadMedia(field string, thread []Part, visit MediaVisitor) error {
	for i := range thread {
		if err := visit(fmt.Sprintf("%s[%d].media", field, i), &thread[i].Media); err != nil {
			return err
		}
	}
	return nil
}

// EachMedia calls visit for each list of media of the post and of its overrides. It returns
// the first error.
func (p *Post) EachMedia(visit MediaVisitor) error {
	content := p.Content.ChangeTo()
	if err := content.EachMedia("media", visit); err != nil {
		return err
	}
	for i := range p.Targets {
		if err := p.Targets[i].Partial.EachMedia("target_overrides", visit); err != nil {
			return err
		}
	}
	return nil
}
