package client

import (
	"context"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Labels returns the labels of posts that are neither canceled nor archived, sorted by name.
// The list is not complete if the workspace has more posts or labels than the daemon counts.
func (c *Client) Labels(ctx context.Context) (apiv1.LabelList, error) {
	return get[apiv1.LabelList](ctx, c, "/labels", nil)
}
