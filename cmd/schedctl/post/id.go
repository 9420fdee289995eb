package post

import (
	"context"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// postID returns the id of the post that an argument names; see [cli.FindID].
func postID(ctx context.Context, a *cli.App, c *client.Client, ref string) (string, error) {
	newest := c.EachPost(ctx, client.PostQuery{Limit: PageSize})
	return cli.FindID(a, cli.PostNoun, ref, newest, "posts", idOf, func(p apiv1.Post) string { return postInShort(a, p) })
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
		ids, err = IDs(ctx, a, c, refs)
	}
	return c, ids, err
}

// IDs returns the ids of the posts that arguments name; see [cli.FindID].
func IDs(ctx context.Context, a *cli.App, c *client.Client, refs []string) ([]string, error) {
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
