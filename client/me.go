package client

import (
	"context"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Me returns whose key the client has and what the key may do.
func (c *Client) Me(ctx context.Context) (apiv1.Me, error) {
	var out apiv1.Me
	err := c.get(ctx, "/me", nil, &out)
	return out, err
}
