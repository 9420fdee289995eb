package media

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// altUpdate edits the posts that show an asset with its old alt text.
type altUpdate struct {
	client *client.Client
	asset  apiv1.MediaAsset // with the old text
	to     string
	done   []string // ids of the edited posts
}

// run edits the posts that the daemon has named, and if there are more, all others that show
// the old text. One that cannot be edited does not stop the rest.
func (u *altUpdate) run(ctx context.Context, posts apiv1.PostsWithOldText) (failed cli.ErrorList) {
	for _, id := range posts.IDs {
		p, err := u.client.Post(ctx, id)
		if err == nil {
			err = u.edit(ctx, p)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("post %s: %w", id, err))
		}
	}
	if posts.Count <= len(posts.IDs) {
		return failed
	}
	q := client.PostQuery{Statuses: []schedctl.Status{schedctl.Draft, schedctl.Scheduled}, Limit: pageSize}
	for p, err := range u.client.EachPost(ctx, q) {
		if err == nil {
			err = u.edit(ctx, p)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

// edit changes the alt text in one post, unless the post has changed since it was read.
func (u *altUpdate) edit(ctx context.Context, p apiv1.Post) error {
	wanted, changed := p, false
	fields.Copy(&wanted, postfile.MapMedia(fields.Request(p), func(field string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		if m.ID == u.asset.ID && field != "link_preview.image" && cli.Deref(m.AltText) == cli.Deref(u.asset.AltText) {
			m.AltText, changed = &u.to, true
		}
		return m, true
	}))
	if !changed {
		return nil
	}
	if _, err := u.client.EditPost(ctx, p.ID, fields.Difference(wanted, p), client.IfVersion(p.Version)); err != nil {
		return err
	}
	u.done = append(u.done, p.ID)
	return nil
}
