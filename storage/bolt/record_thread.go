package bolt

import (
	"github.com/schedctl/schedctl"
)

// The fields of layout 8: threads, first comments, polls and their limits, link cards,
// titles and styles, and how posts are presented. Only records with one of them, or with
// a newer field, have the layout.

func needsPartsLayout(p *schedctl.Post) bool {
	if p.Style != "" || !p.Content.Plain() {
		return true
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Partial.Extended() || len(t.Done) > 0 || t.CommentStatus != "" {
			return true
		}
	}
	return false
}

// postParts has the fields of layout 8 of a post.
func (c *coder) postParts(p *schedctl.Post) {
	list(c, &p.Thread, (*coder).part)
	if optional(c, &p.FirstComment) {
		c.part(p.FirstComment)
	}
	c.poll(&p.Poll)
	if c.present(p.LinkPreview != (schedctl.LinkPreview{})) {
		c.linkPreview(&p.LinkPreview)
	}
	c.presentation(&p.Presentation)
	text(c, &p.Title)
	text(c, &p.Style)
}

// targetParts has the fields of layout 8 of a target.
func (c *coder) targetParts(t *schedctl.Target) {
	optionalList(c, &t.Thread, (*coder).part)
	c.poll(&t.Poll)
	c.presentation(&t.Presentation)
	list(c, &t.Done, (*coder).publishedPart)
	if c.present(t.CommentStatus != "") {
		status(c, &t.CommentStatus, statusCodes)
	}
}

func (c *coder) part(p *schedctl.Part) {
	text(c, &p.Content)
	list(c, &p.Media, (*coder).postMedia)
}

func (c *coder) publishedPart(d *schedctl.PublishedPart) {
	text(c, &d.ID)
	text(c, &d.URL)
	text(c, &d.Ref)
	c.time(&d.PublishedAt)
	c.int(&d.Attempts)
	c.targetError(&d.Error)
}

func (c *coder) poll(p **schedctl.Poll) {
	if !optional(c, p) {
		return
	}
	list(c, &(*p).Options, text)
	c.int64((*int64)(&(*p).ExpiresIn))
	c.bool(&(*p).Multiple)
	c.bool(&(*p).HideTotals)
}

func (c *coder) pollLimits(l *schedctl.PollLimits) {
	if !c.present(*l != schedctl.PollLimits{}) {
		return
	}
	c.bool(&l.None)
	c.int(&l.MaxOptions)
	c.int(&l.MaxOption)
	c.int64((*int64)(&l.MinTime))
	c.int64((*int64)(&l.MaxTime))
}

func (c *coder) linkPreview(l *schedctl.LinkPreview) {
	text(c, &l.Mode)
	text(c, &l.URL)
	text(c, &l.Title)
	text(c, &l.Description)
	if c.present(l.Image.AssetID != "") {
		c.postMedia(&l.Image)
	}
}

func (c *coder) presentation(p *schedctl.Presentation) {
	text(c, &p.ContentWarning)
	text(c, &p.Visibility)
	text(c, &p.Language)
}
