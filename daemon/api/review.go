package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// submitPost handles POST /posts/{id}/submit.
func (s *Server) submitPost(ctx context.Context, c *request, b submitPost) (response, error) {
	return s.decidePost(ctx, c, http.StatusOK, func(d *usecase.Decision) (schedctl.Post, error) { return d.SubmitPost(b.note, b.proposed) })
}

// approvePost handles POST /posts/{id}/approve.
func (s *Server) approvePost(ctx context.Context, c *request, approval usecase.Approval) (response, error) {
	return s.decidePost(ctx, c, http.StatusOK, func(d *usecase.Decision) (schedctl.Post, error) { return d.ApprovePost(ctx, approval) })
}

// listNotes handles GET /posts/{id}/notes.
func (s *Server) listNotes(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	post, err := storage.Read(ctx, s.view, c.Post)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.PostNoteList{Results: convert(post.Notes, apiv1.NewPostNote), Count: len(post.Notes)})
}

// addNote handles POST /posts/{id}/notes.
func (s *Server) addNote(ctx context.Context, c *request, text string) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		note, err := c.AddNote(tx, text)
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusCreated, apiv1.PostNoteEnvelope{Note: apiv1.NewPostNote(note)})
	})
}
