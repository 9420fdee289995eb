package bolt

import "github.com/schedctl/schedctl"

// The fields of layout 12: who wrote a post, and the link card that reviewers saw.

func (c *coder) trail(t *schedctl.Trail) {
	c.optionalID(schedctl.KeyPrefix, &t.CreatedBy)
	c.optionalID(schedctl.KeyPrefix, &t.UpdatedBy)
	c.time(&t.ArchivedAt)
	c.optionalID(schedctl.PostPrefix, &t.ResendOf)
	c.optionalID(schedctl.PostPrefix, &t.ResentAs)
}

func (c *coder) card(l **schedctl.LinkPreview) {
	if optional(c, l) {
		c.linkPreview(*l)
	}
}
