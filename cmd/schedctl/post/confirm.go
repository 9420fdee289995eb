package post

import (
	"context"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Describe describes one post in a prompt: its id, its time, its accounts and its
// text.
func Describe(a *cli.App, p apiv1.Post, names Accounts) string {
	return strings.Join(strings.Fields(p.ID+" "+a.ShortTime(p.PublishAt)+" "+cli.OneLine(recipientsText(p, names))), " ") + ": " + cli.Clip(cli.OneLine(p.Content), 40)
}

// maxAsked is the maximum number of posts that a prompt describes.
const maxAsked = 20

// confirmPosts describes posts that were given by id and asks the person to confirm.
// to, if not nil, are their new accounts. It returns the posts that it described.
func confirmPosts(ctx context.Context, a *cli.App, c *client.Client, question string, ids []string, to *[]string) (posts []apiv1.Post, err error) {
	if !a.Asks() {
		return nil, a.Confirm(ctx, question)
	}
	names := AccountsByID(ctx, c)
	for i, id := range ids {
		if i == maxAsked {
			a.Messagef("and %d more", len(ids)-i)
			break
		}
		p, err := c.Post(ctx, id)
		if err != nil {
			return nil, refusedPost(id, err)
		}
		posts = append(posts, p)
		if to != nil {
			p.SocialAccountIDs = *to
		}
		a.Messagef("%s", Describe(a, p, names))
	}
	return posts, a.Confirm(ctx, question)
}
