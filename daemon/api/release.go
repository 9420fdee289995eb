package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// postsParam describes the query of a request that removes an API key or an account.
func postsParam() *huma.Param {
	return queryParam("posts", "what becomes of the open posts: keep, the default, leaves them as they are; unschedule makes scheduled posts drafts and pauses series; cancel cancels scheduled posts and ends series. Drafts stay. With this parameter, the response has a body",
		&huma.Schema{Type: huma.TypeString, Enum: []any{apiv1.PostsKeep, apiv1.PostsUnschedule, apiv1.PostsCancel}})
}

// moveParam describes the account that open posts move to.
func moveParam() *huma.Param {
	return queryParam("move_to", "the id of the account that open posts and series are published to instead, drafts too; not together with posts", &huma.Schema{Type: huma.TypeString})
}

// removal is the query of such a request.
type removal struct {
	usecase.Release
	reports bool // the response has a body
}

// readRemoval reads the query. Posts of an account can move to another one.
func (c *request) readRemoval(of usecase.Owner) (removal, error) {
	known := []string{"posts"}
	if of.AccountID != "" {
		known = append(known, "move_to")
	}
	q := parseQuery(c.query, known, nil)
	rm := removal{Release: usecase.Release{Owner: of, Posts: apiv1.PostsKeep}, reports: q.has("posts") || q.has("move_to")}
	if q.has("posts") {
		rm.Posts = oneOf(q, "posts", q.text("posts"), []string{apiv1.PostsKeep, apiv1.PostsUnschedule, apiv1.PostsCancel})
	}
	rm.MoveTo = q.accountID("move_to")
	if q.has("posts") && q.has("move_to") {
		q.refuse("move_to", "posts and move_to exclude each other; give one of them")
	}
	return rm, q.err
}

// remove removes an API key or an account in a transaction. Before, it releases its open
// posts; afterward, those that were made in the meantime. If it ends early, repeating the
// request continues. It calls done after the transaction, whether it failed or not.
func (s *Server) remove(ctx context.Context, c *request, rm removal, remove func(storage.Tx) error, done func()) (response, error) {
	if err := s.release(ctx, c, rm.Release); err != nil {
		return response{}, err
	}
	out := noContent
	if rm.reports {
		open, err := storage.Read(ctx, s.scanner(c), func(r storage.Reader) (apiv1.OpenPosts, error) { return c.OpenPosts(r, rm.Owner) })
		if err != nil {
			return response{}, err
		}
		if out, err = newResponse(http.StatusOK, apiv1.Released{Open: open}); err != nil {
			return response{}, err
		}
	}
	out, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) { return out, remove(tx) })
	done()
	if err != nil {
		return response{}, err
	}
	return out, s.release(ctx, c, rm.Release)
}

// release is [usecase.Service.ReleasePosts] for a request. The audit log has each change.
func (s *Server) release(ctx context.Context, c *request, rel usecase.Release) error {
	update := func(fn func(storage.Tx) error) error {
		return storeError(s.store.Update(ctx, fn), "the daemon could not change all posts; see its log, and repeat the request")
	}
	audit := func(tx storage.Tx, action, id string) error {
		entry := c.auditEntry(&noContent)
		entry.Action, entry.ResourceID, entry.Detail = action, id, c.action+" "+c.ID
		return tx.AddAudit(entry)
	}
	return s.cases.ReleasePosts(ctx, &c.Request, rel, s.snapshots(ctx), update, audit)
}

// getKey handles GET /api-keys/{id}.
func (s *Server) getKey(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	var found apiv1.APIKeyEnvelope
	err := s.scan(ctx, c, func(r storage.Reader) error {
		k, err := r.Key(c.Key.WorkspaceID, c.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !c.maySeeKey(k.ID) {
			err = errNoKey
		}
		if err != nil {
			return err
		}
		list := []schedctl.APIKey{k}
		s.used.update(list)
		found.APIKey = apiv1.NewAPIKey(list[0])
		found.Open, err = c.OpenPosts(r, usecase.Owner{KeyID: k.ID})
		return err
	})
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, found)
}
