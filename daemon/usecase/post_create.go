package usecase

import (
	"context"
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/storage"
)

// NewPost is a new post as a request describes it. Its media lack their hashes.
type NewPost struct {
	schedctl.NewPost
	AccountIDs []string // instead of Accounts
	MediaField string   // the name of the field with the media of part 0
	SlotChoice
	Submit   *string // asks for an approval, with this note; or nil
	Replaces string  // the id of the canceled post that loses its external id; or empty
	Allow
}

// CreatedPost is a new post that passed the checks and is not stored yet.
type CreatedPost struct {
	schedctl.Post
	Assets []schedctl.MediaAsset

	decision *Decision
	from     *NewPost
	events   []schedctl.Event
}

// CreatePost makes and checks a new post. account looks up accounts, which must not be
// written to. If an account is disconnected between the checks and the commit, the post
// ends up as if the account had been disconnected right after the commit.
//
// Whether the external id is taken is checked before everything else: a client that repeats
// a request a month later gets EXTERNAL_ID_EXISTS even if the time of the post has passed or
// its account is disconnected.
func (d *Decision) CreatePost(ctx context.Context, n NewPost, account func(id string) (schedctl.Account, error)) (*CreatedPost, error) {
	c := d.request
	if err := c.mayWrite(n.Now || n.NextSlot || !n.PublishAt.IsZero() || n.Replaces != "", n.Source); err != nil {
		return nil, err
	}
	if n.ExternalID != nil && *n.ExternalID != "" {
		err := d.view(func(r storage.Reader) error { _, err := c.replacedPost(r, n.ExternalID, n.Replaces); return err })
		if err != nil {
			return nil, err
		}
	}
	n.WorkspaceID, n.By = c.Key.WorkspaceID, c.actor()
	var err error
	if len(n.AccountIDs) > 0 { // a draft may have none
		if n.Accounts, err = c.FindAccounts(n.AccountIDs, account); err != nil {
			return nil, err
		}
	}
	if err := d.readNew(&n); err != nil {
		return nil, err
	}
	created := &CreatedPost{decision: d, from: &n}
	if created.Post, created.events, err = schedctl.Create(n.NewPost, c.Now); err != nil {
		return nil, err
	}
	if n.Submit != nil {
		if err := created.submit(*n.Submit); err != nil {
			return nil, err
		}
	}
	err = d.check(ctx, &start{Allow: n.Allow, post: &created.Post, accounts: n.Accounts, overrides: n.Overrides, style: n.Style})
	if schedctl.CodeOf(err) == schedctl.ApprovalMissing {
		err = errCreateNeedsApproval
	}
	if err == nil && n.Submit != nil {
		if err = d.FetchCard(ctx); err == nil {
			err = d.settleCard(&start{post: &created.Post, accounts: n.Accounts}, false)
		}
	}
	created.Assets = d.assets
	return created, err
}

var errCreateNeedsApproval = schedctl.Errorf(schedctl.ApprovalMissing, "",
	"this post needs the approval of another key; add submit: {} (--submit) to ask for it in the same step, and the time becomes the proposed one")

// submit asks for the approval of the new post. What reviewers approve includes the hashes of
// files.
func (p *CreatedPost) submit(note string) error {
	if err := schedctl.CheckReviewNote("submit.note", note); err != nil {
		return err
	}
	if err := p.decision.settleFiles(&p.Post); err != nil {
		return err
	}
	events, err := p.Submit(schedctl.Submission{By: p.from.By, Note: note}, p.decision.request.Now)
	if err != nil {
		return err
	}
	p.events = append(p.events, events...)
	return p.decision.alsoProposed(&p.Post)
}

// readNew chooses the slot of a new post, and attaches its media. It reads nothing for a post
// without both.
func (d *Decision) readNew(n *NewPost) error {
	content, files := n.Content.ChangeTo(), 0
	attach(func(_ string, list *[]schedctl.PostMedia) error { files += len(*list); return nil }, n.MediaField, &content, n.Overrides)
	if !n.NextSlot && files == 0 {
		return nil
	}
	return d.view(func(r storage.Reader) error {
		if n.NextSlot {
			taken, err := d.takeSlot(r, n.SlotChoice, "", n.AccountIDs)
			if err != nil {
				return err
			}
			n.PublishAt, n.Booking = taken.At, taken.Booking
		}
		return attach(d.attacher(r), n.MediaField, &content, n.Overrides)
	})
}

// Store stores the post. A post for a slot takes the one that is free now: moved reports
// whether it is not the slot of the checks. Errors: [slots.ErrQueueGone], [storage.ErrPolicyChanged], and those of
// checks that need the transaction.
func (p *CreatedPost) Store(tx storage.Tx) (moved bool, err error) {
	d, n := p.decision, p.from
	d.In(tx)
	replaced, err := d.request.replacedPost(tx, n.ExternalID, n.Replaces)
	if err == nil && replaced != nil {
		replaced.UpdatedBy = d.request.Key.ID
		err = tx.PutPost(*replaced)
	}
	if err != nil {
		return false, err
	}
	if n.NextSlot {
		taken, err := d.takeSlot(tx, n.SlotChoice, "", n.AccountIDs)
		if err != nil {
			return false, err
		}
		moved = p.Rebook(taken.At, taken.Booking)
	}
	if !n.Allow.Duplicate {
		if err := duplicate.Refuse(tx, &p.Post, n.Accounts); err != nil {
			return moved, err
		}
	}
	for i := range p.Assets {
		if _, err := d.request.assetIn(tx, "media", p.Assets[i].ID); err != nil { // it may have been deleted
			return moved, err
		}
	}
	if n.Submit != nil {
		d.request.Also = append(d.request.Also, Step{p.WorkspaceID, "submitPost", p.ID})
	}
	for i := range p.events {
		// Ids of events are in the order of commits, so that a reader that continues after the
		// last id misses no event.
		p.events[i].ID = schedctl.NewID(schedctl.EventPrefix, d.request.Now)
	}
	if err := errors.Join(tx.PutPost(p.Post), tx.AddEvents(p.events...)); err != nil || p.Status() == schedctl.Draft {
		return moved, err
	}
	return moved, storage.KeepPolicies(tx, n.Accounts) // they were read before, and maybe from a cache
}

var errDraftsOnly = schedctl.Errorf(schedctl.InsufficientScope, "", "this API key writes drafts only; a key with the scope posts:write can publish them")

// draftsOnly reports whether the key may write drafts but not publish them.
func (c *Request) draftsOnly() bool { return !c.Key.Allows(schedctl.ScopePostsWrite) }

// mayWrite returns nil if the key may write a post: one that is published or replaces
// a post, if more than a draft is meant, or that brings its approval from a source. The
// audit log names the source.
func (c *Request) mayWrite(more bool, source string) error {
	if more && c.draftsOnly() {
		return errDraftsOnly
	}
	c.Detail = source
	if by := c.actor(); source != "" && (!by.Approver || by.Restricted || c.draftsOnly()) {
		return schedctl.Errorf(schedctl.InsufficientScope, "", "approved_by (--approved-by) needs a key with posts:approve and posts:write that needs no approvals itself")
	}
	return nil
}

// replacedPost returns the post that a new post with the external id replaces, without its
// external id, or nil. Errors: EXTERNAL_ID_EXISTS when another post has the external id;
// NOT_FOUND and POST_NOT_REPLACEABLE for a post that cannot be replaced.
func (c *Request) replacedPost(r storage.Reader, externalID *string, replaces string) (*schedctl.Post, error) {
	if err := c.refuseTaken(r, externalID, replaces); err != nil || replaces == "" || externalID == nil {
		return nil, err
	}
	replaced, err := c.PostByID(r, replaces)
	if err != nil {
		return nil, err
	}
	if err := c.mayChange(&replaced, schedctl.OpAnnotate); err != nil {
		return nil, err
	}
	return &replaced, replaced.Replace(*externalID, c.Now)
}

// refuseTaken returns EXTERNAL_ID_EXISTS when a post other than owner has the external id.
// It names that post only to a key that may see it.
func (c *Request) refuseTaken(r storage.Reader, externalID *string, owner string) error {
	if externalID == nil || *externalID == "" {
		return nil
	}
	existing, err := r.PostByExternalID(c.Key.WorkspaceID, *externalID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && existing.ID == owner {
		return nil
	}
	if err != nil {
		return err
	}
	refusal := storage.ExternalIDExists(existing.ID)
	if !c.MaySee(&existing) {
		refusal.Field, refusal.Details = "", nil
	}
	return refusal
}
