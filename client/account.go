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

// AccountWithOpen returns one account and what is open with it.
func (c *Client) AccountWithOpen(ctx context.Context, id string) (apiv1.AccountEnvelope, error) {
	return get[apiv1.AccountEnvelope](ctx, c, itemPath(accounts, id), nil)
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

// Release says what becomes of the open posts and series of an account or of an API key that
// is removed.
type Release struct {
	Posts  string // keep, unschedule or cancel; empty with MoveTo
	MoveTo string // the id of the account that posts of an account move to; or empty
}

// RemoveAccountAnd is RemoveAccount, and changes the open posts before. It returns what is
// still open.
func (c *Client) RemoveAccountAnd(ctx context.Context, id string, r Release, options ...Option) (apiv1.OpenPosts, error) {
	return c.removeAnd(ctx, itemPath(accounts, id), r, options)
}

func (c *Client) removeAnd(ctx context.Context, path string, r Release, options []Option) (apiv1.OpenPosts, error) {
	query := url.Values{}
	if r.Posts != "" {
		query.Set("posts", r.Posts)
	}
	if r.MoveTo != "" {
		query.Set("move_to", r.MoveTo)
	}
	slow := func(r *apiRequest) { r.query, r.atLeast = query, fetchTimeout }
	out, err := write[apiv1.Released](ctx, c, http.MethodDelete, path, nil, append(options[:len(options):len(options)], slow))
	return out.Open, err
}

func (c *Client) changeAccount(ctx context.Context, method, path string, body any, options []Option) (apiv1.Account, error) {
	out, err := write[apiv1.AccountEnvelope](ctx, c, method, path, body, options)
	return out.SocialAccount, err
}
