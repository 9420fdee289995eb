package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// warnAboutPauses reports the active holds: those of accounts, and of posts with a label.
func (d *doctor) warnAboutPauses(ctx context.Context, c *client.Client) {
	list, err := c.Blackouts(ctx)
	if err != nil {
		d.failed("pauses", err)
		return
	}
	names := post.AccountsByID(ctx, c)
	for _, b := range list {
		if b.Mode != schedctl.BlackoutHold || b.SettledAt != nil || b.StartsAt.After(d.Now()) {
			continue
		}
		what, advice, until := "no post is published", "schedctl resume", "until you resume"
		if b.Label != nil {
			what, advice = fmt.Sprintf("no post with the label %q is published", *b.Label), fmt.Sprintf("schedctl resume --label %q", *b.Label)
		}
		if len(b.SocialAccountIDs) > 0 {
			what += " on " + strings.Join(cli.Map(b.SocialAccountIDs, names.Name), ", ")
		}
		if b.EndsAt != nil {
			until = "until " + d.TimeText(b.EndsAt)
		}
		d.warn("pauses", "end it with: "+advice, "%s %s", what, until)
	}
}
