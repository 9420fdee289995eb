package bolt

import "github.com/schedctl/schedctl"

// The fields of layout 11: reviews of posts.

func (c *coder) review(r *schedctl.Review) {
	if optional(c, &r.Approval) {
		c.approval(r.Approval)
	}
	c.time(&r.Proposed.At)
	c.bool(&r.Proposed.NextSlot)
	c.optionalID(schedctl.KeyPrefix, &r.EditorID)
	c.bool(&r.ByAgent)
	c.bool(&r.Restricted)
	text(c, &r.Decided)
	list(c, &r.Notes, (*coder).postNote)
}

func (c *coder) approval(a *schedctl.Approval) {
	text(c, &a.State)
	c.keyRef(&a.RequestedBy)
	c.time(&a.RequestedAt)
	c.keyRef(&a.DecidedBy)
	c.time(&a.DecidedAt)
	text(c, &a.Note)
	text(c, &a.Source)
	c.fixed(a.Digest[:])
}

func (c *coder) keyRef(k *schedctl.KeyRef) {
	c.optionalID(schedctl.KeyPrefix, &k.ID)
	text(c, &k.Name)
	if c.layout >= 12 {
		c.optionalID(schedctl.SharePrefix, &k.Share)
	}
}

func (c *coder) postNote(n *schedctl.PostNote) {
	c.id(schedctl.NotePrefix, &n.ID)
	c.keyRef(&n.By)
	text(c, &n.Text)
	c.time(&n.CreatedAt)
}
