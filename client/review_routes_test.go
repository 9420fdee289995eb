package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Each method about approvals and notes sends one request and returns the daemon's
// response.
func TestReviewMethods(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)
	post := apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_2"}}
	series := apiv1.SeriesEnvelope{Series: apiv1.Series{ID: "ser_2"}}
	postID := func(p apiv1.Post, err error) (string, error) { return p.ID, err }
	seriesID := func(s apiv1.SeriesEnvelope, err error) (string, error) { return s.Series.ID, err }
	note := "a note"
	testMethods(t, map[string]methodCase{
		"submit": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.SubmitPost(ctx, "post_1", apiv1.SubmitPost{Note: &note, ProposedAt: &apiv1.ProposedTime{Time: at}}))
		}, `POST /api/v1/posts/post_1/submit {"note":"a note","proposed_at":"2026-12-08T09:00:00Z"}`, "post_2"},
		"approve": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.ApprovePost(ctx, "post_1", apiv1.ApprovePost{PublishAt: &apiv1.ProposedTime{NextSlot: true}}, client.IfVersion(2)))
		}, `POST /api/v1/posts/post_1/approve {"publish_at":"next-slot"}`, "post_2"},
		"request changes": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.RequestChanges(ctx, "post_1", apiv1.RequestChanges{Note: note}, client.IfVersion(2)))
		}, `POST /api/v1/posts/post_1/request-changes {"note":"a note"}`, "post_2"},
		"withdraw": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.WithdrawPost(ctx, "post_1"))
		}, `POST /api/v1/posts/post_1/withdraw `, "post_2"},
		"notes": {apiv1.PostNoteList{Results: []apiv1.PostNote{{ID: "note_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			notes, err := c.PostNotes(ctx, "post_1")
			return notes[0].ID, err
		}, "GET /api/v1/posts/post_1/notes ", "note_1"},
		"add note": {apiv1.PostNoteEnvelope{Note: apiv1.PostNote{ID: "note_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			n, err := c.AddNote(ctx, "post_1", note)
			return n.ID, err
		}, `POST /api/v1/posts/post_1/notes {"text":"a note"}`, "note_1"},
		"edit workspace": {apiv1.WorkspaceEnvelope{Workspace: apiv1.Workspace{ID: "ws_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.EditWorkspace(ctx, "ws_1", apiv1.EditWorkspace{Approvals: new("all")})
			return w.ID, err
		}, `PATCH /api/v1/workspaces/ws_1 {"approvals":"all"}`, "ws_1"},
		"submit series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.SubmitSeries(ctx, "ser_1", apiv1.SubmitSeries{Note: &note}))
		}, `POST /api/v1/series/ser_1/submit {"note":"a note"}`, "ser_2"},
		"approve series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.ApproveSeries(ctx, "ser_1", apiv1.ApproveSeries{}, client.IfVersion(2)))
		}, `POST /api/v1/series/ser_1/approve {}`, "ser_2"},
		"request changes of series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.RequestSeriesChanges(ctx, "ser_1", apiv1.RequestChanges{Note: note}, client.IfVersion(2)))
		}, `POST /api/v1/series/ser_1/request-changes {"note":"a note"}`, "ser_2"},
		"withdraw series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.WithdrawSeries(ctx, "ser_1"))
		}, `POST /api/v1/series/ser_1/withdraw `, "ser_2"},
	}, checkDocumented)
}
