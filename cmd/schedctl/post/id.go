package post

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// maxSearched is how many of the newest posts are searched for an abbreviated id.
const maxSearched = 1000

// postID returns the id of the post that an argument names: an id, an abbreviated one,
// or [cli.LastRef]. An argument that names no post is returned unchanged, for the
// daemon to refuse. An abbreviation of several ids is an error with exit status 5.
func postID(ctx context.Context, a *cli.App, c *client.Client, ref string) (string, error) {
	if ref == cli.LastRef {
		return a.LastID(cli.PostNoun)
	}
	if _, whole := schedctl.ParseID(schedctl.PostPrefix, ref); whole {
		return ref, nil
	}
	short, ok := cli.ParseShortID(schedctl.PostPrefix, ref)
	if !ok {
		return ref, nil
	}
	var found []apiv1.Post
	searched := 0
	for p, err := range c.EachPost(ctx, client.PostQuery{Limit: PageSize}) {
		if err != nil {
			return "", err
		}
		if short.Matches(p.ID) {
			found = append(found, p)
		}
		if searched++; searched == maxSearched {
			break
		}
	}
	switch len(found) {
	case 0:
		return ref, nil
	case 1:
		return found[0].ID, nil
	}
	var labels []string
	for _, p := range found {
		labels = append(labels, fmt.Sprintf("%s (%s)", p.ID, postInShort(a, p)))
	}
	return "", cli.AmbiguousIDError(ref, "posts", labels)
}

// connectOne connects to the daemon and resolves one argument with postID.
func connectOne(ctx context.Context, a *cli.App, ref string) (c *client.Client, id string, err error) {
	if c, err = a.Connect(); err == nil {
		id, err = postID(ctx, a, c, ref)
	}
	return c, id, err
}

// connectAll is connectOne for several arguments.
func connectAll(ctx context.Context, a *cli.App, refs []string) (c *client.Client, ids []string, err error) {
	if c, err = a.Connect(); err == nil {
		ids, err = postIDs(ctx, a, c, refs)
	}
	return c, ids, err
}

// postIDs is postID for several arguments.
func postIDs(ctx context.Context, a *cli.App, c *client.Client, refs []string) ([]string, error) {
	ids := make([]string, len(refs))
	for i, ref := range refs {
		id, err := postID(ctx, a, c, ref)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}
