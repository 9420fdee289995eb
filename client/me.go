package client

import (
	"context"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Me returns the workspace and the permissions of the client's API key.
func (c *Client) Me(ctx context.Context) (apiv1.Me, error) {
	var out apiv1.Me
	err := c.get(ctx, "/me", nil, &out)
	return out, err
}

// Capabilities returns the features, limits and platforms of the daemon.
func (c *Client) Capabilities(ctx context.Context) (apiv1.Capabilities, error) {
	var out apiv1.Capabilities
	err := c.get(ctx, "/capabilities", nil, &out)
	return out, err
}
