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
	Replaces string // the id of the canceled post that loses its external id; or empty
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
	n.WorkspaceID, n.By = c.Key.WorkspaceID, c.Key.Actor()
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
	err = d.check(ctx, &start{Allow: n.Allow, post: &created.Post, accounts: n.Accounts, overrides: n.Overrides, style: n.Style})
	created.Assets = d.assets
	return created, err
}

// readNew attaches the media of a new post, and chooses its slot. It reads nothing for a
// post without both.
func (d *Decision) readNew(n *NewPost) error {
	shown := n.shown()
	if !n.NextSlot && len(shown.AssetIDs()) == 0 {
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
		content := n.Content.ChangeTo()
		return attach(d.attacher(r), n.MediaField, &content, n.Overrides)
	})
}

// shown returns a post with what the new post publishes, with a target for each override.
// It may break every rule.
func (n *NewPost) shown() schedctl.Post {
	p := schedctl.Post{WorkspaceID: n.WorkspaceID, Content: n.Content}
	for i := range n.Overrides {
		p.Targets = append(p.Targets, n.Overrides[i].Target())
	}
	return p
}

// Store stores the post. A post for a slot takes the one that is free now: moved reports
// whether it is not the slot of the checks. Errors: [slots.ErrQueueGone], and those of
// checks that need the transaction.
func (p *CreatedPost) Store(tx storage.Tx) (moved bool, err error) {
	d, n := p.decision, p.from
	d.In(tx)
	replaced, err := d.request.replacedPost(tx, n.ExternalID, n.Replaces)
	if err == nil && replaced != nil {
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
	for i := range p.events {
		// Ids of events are in the order of commits, so that a reader that continues after the
		// last id misses no event.
		p.events[i].ID = schedctl.NewID(schedctl.EventPrefix, d.request.Now)
	}
	return moved, errors.Join(tx.PutPost(p.Post), tx.AddEvents(p.events...))
}
