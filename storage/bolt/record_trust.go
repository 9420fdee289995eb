package bolt

import "github.com/schedctl/schedctl"

// The fields of layout 12: who wrote a post, the link card that reviewers saw, who applies
// collections, the limits of files of an account and what paused it, the labels of holds, and aliases.

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

func (c *coder) fileLimits(l *schedctl.FileLimits) {
	if !c.present(*l != schedctl.FileLimits{}) {
		return
	}
	c.int(&l.MaxFiles)
	c.int(&l.MaxAlt)
	c.int64(&l.ImageBytes)
	c.int(&l.ImagePixels)
	c.int64(&l.VideoBytes)
	c.int(&l.VideoPixels)
	text(c, &l.Types)
}

// collection has no id and no workspace: they are in the key.
func (c *coder) collection(v *schedctl.Collection) {
	text(c, &v.Name)
	text(c, &v.Source)
	text(c, &v.Revision.Commit)
	c.time(&v.Revision.CommittedAt)
	c.time(&v.AppliedAt)
	c.keyRef(&v.AppliedBy)
	c.time(&v.CreatedAt)
}

// alias has no id and no workspace: they are in the key.
func (c *coder) alias(a *schedctl.Alias) {
	text(c, &a.Kind)
	text(c, &a.Name)
	c.accountIDs(&a.AccountIDs)
	text(c, &a.Text)
	c.time(&a.CreatedAt)
	c.time(&a.UpdatedAt)
}
