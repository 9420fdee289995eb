package client

import (
	"context"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Me returns the workspace and the permissions of the client's API key.
func (c *Client) Me(ctx context.Context) (apiv1.Me, error) {
	return get[apiv1.Me](ctx, c, "/me", nil)
}

// Capabilities returns the features, limits and platforms of the daemon.
func (c *Client) Capabilities(ctx context.Context) (apiv1.Capabilities, error) {
	return get[apiv1.Capabilities](ctx, c, "/capabilities", nil)
}
