package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Each method about collections sends one request and returns the daemon's response.
func TestCollectionMethods(t *testing.T) {
	t.Parallel()
	one := apiv1.CollectionEnvelope{Collection: apiv1.Collection{Name: "website"}}
	name := func(c apiv1.Collection, err error) (string, error) { return c.Name, err }
	revision := &apiv1.Revision{Commit: "5f0c1a2b", CommittedAt: apiv1.Time{Time: time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)}}
	testMethods(t, map[string]methodCase{
		"labels": {apiv1.LabelList{Results: []apiv1.Label{{Label: "launch"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Labels(ctx)
			return list.Results[0].Label, err
		}, "GET /api/v1/labels ", "launch"},
		"collections": {apiv1.CollectionList{Results: []apiv1.Collection{{Name: "website"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Collections(ctx)
			return list[0].Name, err
		}, "GET /api/v1/collections ", "website"},
		"collection": {one, func(ctx context.Context, c *client.Client) (string, error) { return name(c.Collection(ctx, "website")) },
			"GET /api/v1/collections/website ", "website"},
		"apply": {one, func(ctx context.Context, c *client.Client) (string, error) {
			return name(c.ApplyCollection(ctx, "website", apiv1.ApplyCollection{Source: "github.com/me/posts", Revision: revision, AllowOlder: true}))
		}, `POST /api/v1/collections/website/apply {"source":"github.com/me/posts","revision":{"commit":"5f0c1a2b","committed_at":"2026-12-08T09:00:00Z"},"allow_older":true}`, "website"},
		"adopt": {one, func(ctx context.Context, c *client.Client) (string, error) {
			return name(c.AdoptCollection(ctx, "website", apiv1.AdoptCollection{Source: "github.com/me/posts"}))
		}, `PUT /api/v1/collections/website {"source":"github.com/me/posts"}`, "website"},
		"delete": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteCollection(ctx, "website")
		},
			"DELETE /api/v1/collections/website ", ""},
	}, checkDocumented)
}
