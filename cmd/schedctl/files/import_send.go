package files

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// sendLine creates or changes the post of a line. An error ends the import: all
// other lines would fail as well.
func (o *importOptions) sendLine(ctx context.Context, c *client.Client, l importLine) (r imported, err error) {
	r = l.result
	if r.Result != resultOK || o.unsent {
		return r, nil
	}
	if l.post, err = o.request(l); err != nil {
		return r, err // the check of the line refused it
	}
	var made apiv1.Post
	switch {
	case l.want.series != nil:
		var s apiv1.Series
		s, r.Result, err = o.sendSeries(ctx, c, l)
		made.ID, made.PublishAt = s.ID, s.NextAt
	case l.edit != nil:
		r.Result = resultUpdated
		made, err = c.EditPost(ctx, r.PostID, *l.edit, client.IfVersion(l.version))
	case l.post.ExternalID != nil:
		r.Result = resultCreated
		made, err = c.CreatePost(ctx, l.post)
	default:
		made, r.Result, err = createOnce(ctx, c, l.post, l.key)
	}
	switch code := schedctl.CodeOf(err); {
	case err == nil:
	case code == schedctl.ExternalIDExists:
		r.Result, r.PostID, r.Message = resultExists, client.ExistingPost(err), "created by another client during the import"
		return r, nil
	case code == schedctl.IdempotencyKeyReused:
		r.Result, r.PublishAt = resultExists, nil
		r.Message = "imported within the last 24 hours, with another time or other accounts; not changed"
		return r, nil
	case post.IsLineError(err):
		return r.refusedWith(cli.ErrorLine(err)), nil
	default:
		return r, err
	}
	if o.submit && l.post.ProposedAt != nil && made.Status == schedctl.Draft {
		made, r, err = submitLine(ctx, c, made, r)
		if err != nil {
			return r, err
		}
	}
	r.PostID, r.PublishAt = made.ID, made.PublishAt
	if text := l.want.doc.Notes; text != "" && r.Result == resultCreated {
		if _, err := c.AddNote(ctx, made.ID, text); err != nil {
			r = r.remarked("its note was not added: " + cli.ErrorLine(err))
		}
	}
	if made.Status == schedctl.Canceled {
		r.Message = "canceled; not created again"
	}
	return r, nil
}

// submitLine submits the draft of a line, unless that was done before.
func submitLine(ctx context.Context, c *client.Client, p apiv1.Post, r imported) (apiv1.Post, imported, error) {
	next, err := c.SubmitPost(ctx, p.ID, apiv1.SubmitPost{})
	switch {
	case err == nil:
		return next, r.remarked("waits for an approval"), nil
	case schedctl.CodeOf(err) == schedctl.ApprovalNotPending:
		return p, r.remarked("waits for an approval"), nil
	}
	return p, r, err
}

// maxDeleted limits how many deleted drafts of one key are skipped.
const maxDeleted = 50

// createOnce creates a post, unless one was created with the same key within 24 hours.
// If that was a draft that has been deleted, it is created again with the next key,
// which is derived from the id of the deleted draft.
func createOnce(ctx context.Context, c *client.Client, create apiv1.CreatePost, key string) (made apiv1.Post, result string, err error) {
	for range maxDeleted {
		var replayed bool
		made, err = c.CreatePost(ctx, create, client.IdempotencyKey(key), client.Replayed(&replayed))
		if err != nil || !replayed {
			return made, resultCreated, err
		}
		id := made.ID
		made, err = c.Post(ctx, id)
		if schedctl.CodeOf(err) != schedctl.NotFound {
			return made, resultExists, err
		}
		key = post.DeriveKey("after", key, id)
	}
	return made, resultRefused, err
}
