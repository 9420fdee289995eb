package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	accountGroups = "/account-groups"
	snippets      = "/snippets"
)

// AccountGroups returns all account groups of the workspace, sorted by name.
func (c *Client) AccountGroups(ctx context.Context) ([]apiv1.AccountGroup, error) {
	out, err := get[apiv1.AccountGroupList](ctx, c, accountGroups, nil)
	return out.Results, err
}

// SetAccountGroup creates the account group with a name, or gives it other accounts.
func (c *Client) SetAccountGroup(ctx context.Context, name string, g apiv1.SetAccountGroup, options ...Option) (apiv1.AccountGroup, error) {
	out, err := write[apiv1.AccountGroupEnvelope](ctx, c, http.MethodPut, itemPath(accountGroups, name), g, options)
	return out.AccountGroup, err
}

// DeleteAccountGroup deletes an account group, and not its accounts.
func (c *Client) DeleteAccountGroup(ctx context.Context, name string, options ...Option) error {
	return c.delete(ctx, itemPath(accountGroups, name), options)
}

// Snippets returns all snippets of the workspace, sorted by name.
func (c *Client) Snippets(ctx context.Context) ([]apiv1.Snippet, error) {
	out, err := get[apiv1.SnippetList](ctx, c, snippets, nil)
	return out.Results, err
}

// SetSnippet creates the snippet with a name, or gives it another text.
func (c *Client) SetSnippet(ctx context.Context, name string, s apiv1.SetSnippet, options ...Option) (apiv1.Snippet, error) {
	out, err := write[apiv1.SnippetEnvelope](ctx, c, http.MethodPut, itemPath(snippets, name), s, options)
	return out.Snippet, err
}

// DeleteSnippet deletes a snippet. The posts that were made with it keep their texts.
func (c *Client) DeleteSnippet(ctx context.Context, name string, options ...Option) error {
	return c.delete(ctx, itemPath(snippets, name), options)
}
