package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl/client/apiv1"
)

const accounts = "/social-accounts"

// AccountQuery selects accounts.
type AccountQuery struct {
	Status string // "all" includes disconnected accounts; empty excludes them
}

// Accounts returns the accounts of the workspace.
func (c *Client) Accounts(ctx context.Context, q AccountQuery) ([]apiv1.Account, error) {
	query := url.Values{}
	if q.Status != "" {
		query.Set("status", q.Status)
	}
	out, err := get[apiv1.AccountList](ctx, c, accounts, query)
	return out.Results, err
}

// AddAccount connects an account. The daemon verifies the credentials with the network
// before it stores them.
func (c *Client) AddAccount(ctx context.Context, a apiv1.AddAccount, options ...Option) (apiv1.Account, error) {
	out, err := write[apiv1.AccountEnvelope](ctx, c, http.MethodPost, accounts, a, options)
	return out.SocialAccount, err
}

// Account returns one account, even if it is disconnected.
func (c *Client) Account(ctx context.Context, id string) (apiv1.Account, error) {
	out, err := get[apiv1.AccountEnvelope](ctx, c, itemPath(accounts, id), nil)
	return out.SocialAccount, err
}

// EditAccount changes an account. New credentials are verified first.
func (c *Client) EditAccount(ctx context.Context, id string, a apiv1.EditAccount, options ...Option) (apiv1.Account, error) {
	return c.changeAccount(ctx, http.MethodPatch, itemPath(accounts, id), a, options)
}

// VerifyAccount checks with the network whether the account's credentials still
// work. If they do, waiting posts continue.
func (c *Client) VerifyAccount(ctx context.Context, id string, options ...Option) (apiv1.Account, error) {
	return c.changeAccount(ctx, http.MethodPost, itemPath(accounts, id, "verify"), nil, options)
}

// RemoveAccount disconnects an account and erases its secrets.
func (c *Client) RemoveAccount(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(accounts, id), options)
}

func (c *Client) changeAccount(ctx context.Context, method, path string, body any, options []Option) (apiv1.Account, error) {
	out, err := write[apiv1.AccountEnvelope](ctx, c, method, path, body, options)
	return out.SocialAccount, err
}
