package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const shares = "/shares"

// Shares returns all shares of the workspace in order of creation, without their addresses.
func (c *Client) Shares(ctx context.Context) ([]apiv1.Share, error) {
	out, err := get[apiv1.ShareList](ctx, c, shares, nil)
	return out.Results, err
}

// Share returns a share without its address.
func (c *Client) Share(ctx context.Context, id string) (apiv1.Share, error) {
	out, err := get[apiv1.ShareEnvelope](ctx, c, itemPath(shares, id), nil)
	return out.Share, err
}

// CreateShare makes a share and returns it with its address, which is not shown again. The
// share ends with the API key of the client.
func (c *Client) CreateShare(ctx context.Context, s apiv1.CreateShare, options ...Option) (apiv1.ShareAddress, error) {
	return write[apiv1.ShareAddress](ctx, c, http.MethodPost, shares, s, options)
}

// RevokeShare ends a share immediately and permanently.
func (c *Client) RevokeShare(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(shares, id), options)
}
