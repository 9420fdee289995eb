package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const keys = "/api-keys"

// APIKeys returns the API keys of the workspace in order of creation, revoked
// and expired ones included.
func (c *Client) APIKeys(ctx context.Context) ([]apiv1.APIKey, error) {
	out, err := get[apiv1.APIKeyList](ctx, c, keys, nil)
	return out.Results, err
}

// APIKey returns an API key, even if it is revoked, and the posts and series that it created
// and that are not over.
func (c *Client) APIKey(ctx context.Context, id string) (apiv1.APIKeyEnvelope, error) {
	return get[apiv1.APIKeyEnvelope](ctx, c, itemPath(keys, id), nil)
}

// CreateAPIKey creates an API key. Its secret is in this response only.
func (c *Client) CreateAPIKey(ctx context.Context, k apiv1.CreateAPIKey, options ...Option) (apiv1.CreatedAPIKey, error) {
	return write[apiv1.CreatedAPIKey](ctx, c, http.MethodPost, keys, k, options)
}

// RevokeAPIKey revokes an API key immediately and permanently. Revoking it again is not
// an error.
func (c *Client) RevokeAPIKey(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(keys, id), options)
}

// RevokeAPIKeyAnd is RevokeAPIKey, and changes the open posts of the key before. It returns
// what is still open.
func (c *Client) RevokeAPIKeyAnd(ctx context.Context, id string, r Release, options ...Option) (apiv1.OpenPosts, error) {
	return c.removeAnd(ctx, itemPath(keys, id), r, options)
}
