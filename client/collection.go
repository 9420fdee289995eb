package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const collections = "/collections"

// Collections returns all collections of the workspace, sorted by name.
func (c *Client) Collections(ctx context.Context) ([]apiv1.Collection, error) {
	out, err := get[apiv1.CollectionList](ctx, c, collections, nil)
	return out.Results, err
}

// Collection returns the collection with a name.
func (c *Client) Collection(ctx context.Context, name string) (apiv1.Collection, error) {
	out, err := get[apiv1.CollectionEnvelope](ctx, c, itemPath(collections, name), nil)
	return out.Collection, err
}

// ApplyCollection announces that the files of a collection are about to be applied, which
// creates the collection if it does not exist. The error has the code SOURCE_MISMATCH if
// the collection belongs to another source, and OLDER_REVISION if a later commit was
// applied: then apply nothing.
func (c *Client) ApplyCollection(ctx context.Context, name string, a apiv1.ApplyCollection, options ...Option) (apiv1.Collection, error) {
	out, err := write[apiv1.CollectionEnvelope](ctx, c, http.MethodPost, itemPath(collections, name)+"/apply", a, options)
	return out.Collection, err
}

// AdoptCollection gives a collection to another source, or creates it.
func (c *Client) AdoptCollection(ctx context.Context, name string, a apiv1.AdoptCollection, options ...Option) (apiv1.Collection, error) {
	out, err := write[apiv1.CollectionEnvelope](ctx, c, http.MethodPut, itemPath(collections, name), a, options)
	return out.Collection, err
}

// DeleteCollection forgets a collection. Its posts stay, and the next apply from any
// source creates the collection again.
func (c *Client) DeleteCollection(ctx context.Context, name string, options ...Option) error {
	return c.delete(ctx, itemPath(collections, name), options)
}
