package post

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// refusedPost replaces the daemon's error for a missing post, which mentions the API.
// Other errors stay.
func refusedPost(id string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return cli.WithMessage(err, fmt.Sprintf("there is no post %q; see: schedctl post list", cli.Clip(id, 60)))
}

// refusedRelease replaces the daemon's error for a post that cannot be scheduled
// because it has no accounts.  For a post that is already scheduled, the error names
// the command that moves it.
func refusedRelease(ctx context.Context, c *client.Client, id string, to []string, err error) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && lacksScope(err) {
		drafts, advice := draftsOnly(ctx, c), "propose a time with: schedctl post submit "+id+" --at TIME"
		if post, e := c.Post(ctx, id); drafts && e == nil && post.Status != schedctl.Draft {
			advice = fmt.Sprintf("the post is %s: ask a person to change it", post.Status)
		}
		return cli.WithMessage(err, WithAdvice(refused.API.Code, refused.API.Message, advice, drafts))
	}
	if schedctl.CodeOf(err) == schedctl.PostNotDraft {
		if post, e := c.Post(ctx, id); e == nil && post.Status == schedctl.Scheduled {
			return cli.WithMessage(err, "the post is scheduled already; move it with: schedctl post edit "+id+" --at TIME")
		}
	}
	if schedctl.CodeOf(err) != schedctl.InvalidSocialAccounts || len(to) > 0 {
		return refusedPost(id, err)
	}
	if post, e := c.Post(ctx, id); e != nil || len(post.SocialAccountIDs) > 0 {
		return err
	}
	return cli.WithMessage(err, "the post has no account; give --to ACCOUNT, or --to all")
}
