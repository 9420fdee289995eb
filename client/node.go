package client

import (
	"context"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Nodes returns the daemons that share the database, including this one and those that
// stopped within the last hour.
func (c *Client) Nodes(ctx context.Context) ([]apiv1.Node, error) {
	out, err := get[apiv1.NodeList](ctx, c, "/nodes", nil)
	return out.Results, err
}
