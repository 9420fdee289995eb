package main

import (
	"context"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// inQuestion is one post in a question: its id, its time, its accounts and its text.
func (a *app) inQuestion(p apiv1.Post, names accounts) string {
	return strings.Join(strings.Fields(p.ID+" "+a.shortTime(p.PublishAt)+" "+oneLine(recipientsText(p, names))), " ") + ": " + clip(oneLine(p.Content), 40)
}

// maxAsked is how many posts a question shows.
const maxAsked = 20

// confirmPosts is confirm for posts that are named by their ids. It shows what they
// are; to, if not nil, are the accounts that they will go to.
func (a *app) confirmPosts(ctx context.Context, c *client.Client, question string, ids []string, to *[]string) error {
	if !a.inTerminal || !a.errTerminal || a.noInput {
		return nil
	}
	names := accountNames(ctx, c)
	for i, id := range ids {
		if i == maxAsked {
			a.tell("and %d more", len(ids)-i)
			break
		}
		p, err := c.Post(ctx, id)
		if err != nil {
			return refusedPost(id, err)
		}
		if to != nil {
			p.SocialAccountIDs = *to
		}
		a.tell("%s", a.inQuestion(p, names))
	}
	return a.confirm(ctx, question)
}
