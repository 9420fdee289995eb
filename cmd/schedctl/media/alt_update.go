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

// altUpdate edits the posts and the series that show an asset with its old alt text.
type altUpdate struct {
	client *client.Client
	asset  apiv1.MediaAsset // with the old text
	to     string
	posts  []string // ids of the edited posts
	series []string // ids of the edited series
}

// run edits the series and the posts that the daemon has named, and if there are more, all
// others that show the old text. One that cannot be edited does not stop the rest. Series
// are first: their posts follow them, and an edit of their own would detach them.
func (u *altUpdate) run(ctx context.Context, old apiv1.EditedMedia) (failed cli.ErrorList) {
	try := func(err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	for _, id := range old.SeriesWithOldText.IDs {
		s, err := u.client.Series(ctx, id)
		try(u.editSeries(ctx, s, err))
	}
	if old.SeriesWithOldText.Count > len(old.SeriesWithOldText.IDs) {
		for s, err := range u.client.EachSeries(ctx, client.SeriesQuery{Limit: pageSize}) {
			try(u.editSeries(ctx, s, err))
		}
	}
	for _, id := range old.PostsWithOldText.IDs {
		p, err := u.client.Post(ctx, id)
		if err == nil {
			err = u.edit(ctx, p)
		}
		if err != nil {
			try(fmt.Errorf("post %s: %w", id, err))
		}
	}
	if old.PostsWithOldText.Count <= len(old.PostsWithOldText.IDs) {
		return failed
	}
	q := client.PostQuery{Statuses: []schedctl.Status{schedctl.Draft, schedctl.Scheduled}, Limit: pageSize}
	for p, err := range u.client.EachPost(ctx, q) {
		if err == nil {
			err = u.edit(ctx, p)
		}
		try(err)
	}
	return failed
}

// edit changes the alt text in one post, unless the post has changed since it was read.
func (u *altUpdate) edit(ctx context.Context, p apiv1.Post) error {
	change, changed := u.change(p)
	if !changed {
		return nil
	}
	if _, err := u.client.EditPost(ctx, p.ID, change, client.IfVersion(p.Version)); err != nil {
		return err
	}
	u.posts = append(u.posts, p.ID)
	return nil
}

// editSeries is edit for a series that was read with this error.
func (u *altUpdate) editSeries(ctx context.Context, s apiv1.Series, err error) error {
	if err != nil {
		return err
	}
	change, changed := u.change(fields.OfSeries(s))
	if !changed || s.State == schedctl.SeriesEnded {
		return nil
	}
	var edit apiv1.EditSeries
	fields.Copy(&edit, change)
	if _, err := u.client.EditSeries(ctx, s.ID, edit, client.IfVersion(s.Version)); err != nil {
		return fmt.Errorf("series %s: %w", s.ID, err)
	}
	u.series = append(u.series, s.ID)
	return nil
}

// change returns the change of a post that shows the old text.
func (u *altUpdate) change(p apiv1.Post) (edit apiv1.EditPost, changed bool) {
	wanted := p
	fields.Copy(&wanted, postfile.MapMedia(fields.Request(p), func(field string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		if m.ID == u.asset.ID && field != "link_preview.image" && cli.Deref(m.AltText) == cli.Deref(u.asset.AltText) {
			m.AltText, changed = &u.to, true
		}
		return m, true
	}))
	return fields.Difference(wanted, p), changed
}
