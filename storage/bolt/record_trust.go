package bolt

import "github.com/schedctl/schedctl"

// The fields of layout 12: who wrote a post, the link card that reviewers saw, the last
// request for changes, who applies collections, the limits of files of an account and what
// paused it, and the labels of holds. Also aliases and shares, the steps of reviews on events,
// the shares of people who took them, and what notifications are about.

func (c *coder) trail(t *schedctl.Trail) {
	c.optionalID(schedctl.KeyPrefix, &t.CreatedBy)
	c.optionalID(schedctl.KeyPrefix, &t.UpdatedBy)
	c.time(&t.ArchivedAt)
	c.optionalID(schedctl.PostPrefix, &t.ResendOf)
	c.optionalID(schedctl.PostPrefix, &t.ResentAs)
	c.optionalID(schedctl.SourcePrefix, &t.SourceID)
	c.optionalID(schedctl.SourceItemPrefix, &t.ItemID)
}

func (c *coder) card(l **schedctl.LinkPreview) {
	if optional(c, l) {
		c.linkPreview(*l)
	}
}

func (c *coder) changeRequest(r **schedctl.ChangeRequest) {
	if optional(c, r) {
		c.keyRef(&(*r).By)
		c.time(&(*r).At)
		text(c, &(*r).Reason)
	}
}

func (c *coder) reviewStep(s **schedctl.ReviewStep) {
	if !optional(c, s) {
		return
	}
	c.keyRef(&(*s).By)
	c.bool(&(*s).Agent)
	text(c, &(*s).Note)
	c.int64(&(*s).Version)
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

// share has no id and no workspace: they are in the key.
func (c *coder) share(s *schedctl.Share) {
	text(c, &s.Kind)
	text(c, &s.Name)
	text(c, &s.Can)
	c.fixed(s.Hash[:])
	list(c, &s.PostIDs, func(c *coder, id *string) { c.id(schedctl.PostPrefix, id) })
	c.accountIDs(&s.Filter.AccountIDs)
	list(c, &s.Filter.Labels, text)
	text(c, &s.Filter.Approval)
	c.optionalID(schedctl.KeyPrefix, &s.KeyID)
	c.time(&s.ExpiresAt)
	c.time(&s.CreatedAt)
	c.time(&s.RevokedAt)
	c.time(&s.LastUsedAt)
	c.int64(&s.Uses)
}
