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

// CreateAPIKey creates an API key. Its secret is in this response only.
func (c *Client) CreateAPIKey(ctx context.Context, k apiv1.CreateAPIKey, options ...Option) (apiv1.CreatedAPIKey, error) {
	return write[apiv1.CreatedAPIKey](ctx, c, http.MethodPost, keys, k, options)
}

// RevokeAPIKey revokes an API key immediately and permanently. Revoking it again is not
// an error.
func (c *Client) RevokeAPIKey(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(keys, id), options)
}
