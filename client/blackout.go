package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const blackouts = "/blackouts"

// Blackouts returns all blackouts of the workspace in order of creation.
func (c *Client) Blackouts(ctx context.Context) ([]apiv1.Blackout, error) {
	out, err := get[apiv1.BlackoutList](ctx, c, blackouts, nil)
	return out.Results, err
}

// Blackout returns one blackout and the posts that are scheduled in it.
func (c *Client) Blackout(ctx context.Context, id string) (apiv1.BlackoutEnvelope, error) {
	return get[apiv1.BlackoutEnvelope](ctx, c, itemPath(blackouts, id), nil)
}

// CreateBlackout creates a blackout. A hold whose period has started takes effect at
// once: no post of its accounts is published until it ends.
func (c *Client) CreateBlackout(ctx context.Context, b apiv1.CreateBlackout, options ...Option) (apiv1.BlackoutEnvelope, error) {
	return write[apiv1.BlackoutEnvelope](ctx, c, http.MethodPost, blackouts, b, options)
}

// EditBlackout changes a blackout.
func (c *Client) EditBlackout(ctx context.Context, id string, b apiv1.EditBlackout, options ...Option) (apiv1.BlackoutEnvelope, error) {
	return write[apiv1.BlackoutEnvelope](ctx, c, http.MethodPatch, itemPath(blackouts, id), b, options)
}

// DeleteBlackout deletes a blackout. The posts that a hold kept back get new slots, or
// are published late, one after the other.
func (c *Client) DeleteBlackout(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(blackouts, id), options)
}
