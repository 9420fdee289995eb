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
	var out apiv1.APIKeyList
	err := c.get(ctx, keys, nil, &out)
	return out.Results, err
}

// CreateAPIKey creates an API key. Its secret is in this response only.
func (c *Client) CreateAPIKey(ctx context.Context, k apiv1.CreateAPIKey, options ...Option) (apiv1.CreatedAPIKey, error) {
	var out apiv1.CreatedAPIKey
	err := c.write(ctx, http.MethodPost, keys, k, &out, options)
	return out, err
}

// RevokeAPIKey revokes an API key immediately and permanently. Revoking it again is not
// an error.
func (c *Client) RevokeAPIKey(ctx context.Context, id string, options ...Option) error {
	return c.write(ctx, http.MethodDelete, itemPath(keys, id), nil, nil, options)
}
