package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// listSources handles GET /sources.
func (s *Server) listSources(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, c.Sources)
	if err != nil {
		return response{}, err
	}
	show := func(source schedctl.Source) apiv1.Source { return s.showSource(c, &source) }
	return newResponse(http.StatusOK, apiv1.SourceList{Results: convert(list, show), Count: len(list)})
}

// showSource returns the wire form of a source.
func (s *Server) showSource(c *request, source *schedctl.Source) apiv1.Source {
	return apiv1.NewSource(*source, s.secretsOf(source).names(), c.Now)
}

func (s *Server) sourceResponse(c *request, status int, source *schedctl.Source) (response, error) {
	a, err := newResponse(status, apiv1.SourceEnvelope{Source: s.showSource(c, source)})
	a.etag, a.fresh = versionTag(source.Version), true // fetches change it alone
	if status == http.StatusCreated {
		a.created, a.location = source.ID, prefix+"/sources/"+source.ID
	}
	return a, err
}

// getSource handles GET /sources/{id}.
func (s *Server) getSource(ctx context.Context, c *request) (response, error) {
	source, err := storage.Read(ctx, s.view, c.Source)
	if err != nil {
		return response{}, err
	}
	return s.sourceResponse(c, http.StatusOK, &source)
}

// createSource handles POST /sources.
func (s *Server) createSource(ctx context.Context, c *request, b sourceChange) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		source, err := c.CreateSource(tx, s.sourceChange(&b))
		if err != nil {
			return response{}, err
		}
		return s.sourceResponse(c, http.StatusCreated, &source)
	})
}

// sourceChange returns what a body changes of a source.
func (s *Server) sourceChange(b *sourceChange) usecase.SourceChange {
	return usecase.SourceChange{
		Set: func(v *schedctl.Source) {
			url := v.URL
			b.apply(v)
			s.applySecrets(v, b, url != "" && url != v.URL)
		},
		Check: func(v *schedctl.Source) error {
			if h := b.Header; h != nil {
				if err := source.CheckHeader(h.Name, h.Value); err != nil {
					return err
				}
			}
			return source.Check(v)
		},
	}
}

// editSource handles PATCH /sources/{id}.
func (s *Server) editSource(ctx context.Context, c *request, b sourceChange) (response, error) {
	return s.commitSource(ctx, c, func(tx storage.Tx) (schedctl.Source, error) { return c.EditSource(tx, s.sourceChange(&b)) })
}

// deleteSource handles DELETE /sources/{id}.
func (s *Server) deleteSource(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.RemoveSource(tx) })
}

// pauseSource handles POST /sources/{id}/pause.
func (s *Server) pauseSource(ctx context.Context, c *request) (response, error) {
	return s.commitSource(ctx, c, c.PauseSource)
}

// resumeSource handles POST /sources/{id}/resume.
func (s *Server) resumeSource(ctx context.Context, c *request) (response, error) {
	return s.commitSource(ctx, c, c.ResumeSource)
}

// releaseSource handles POST /sources/{id}/release.
func (s *Server) releaseSource(ctx context.Context, c *request, b apiv1.ReleaseSource) (response, error) {
	return s.commitSource(ctx, c, func(tx storage.Tx) (schedctl.Source, error) { return c.ReleaseSource(tx, b.Take) })
}

func (s *Server) commitSource(ctx context.Context, c *request, write func(storage.Tx) (schedctl.Source, error)) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		source, err := write(tx)
		if err != nil {
			return response{}, err
		}
		return s.sourceResponse(c, http.StatusOK, &source)
	})
}

// listSourceItems handles GET /sources/{id}/items.
func (s *Server) listSourceItems(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, []string{"limit", "cursor", "state"}, nil)
	query := storage.SourceItemQuery{WorkspaceID: c.Key.WorkspaceID, SourceID: c.ID, Limit: q.number("limit", 1, maxLimit, defaultLimit)}
	if q.has("state") {
		query.State = oneOf(q, "state", q.text("state"), schedctl.ItemStates())
	}
	list := idList{prefix: schedctl.SourceItemPrefix, of: "items " + c.ID + " " + string(query.State)}
	if q.err == nil && q.has("cursor") {
		query.AfterID, q.err = list.position(q.values.Get("cursor"))
	}
	if q.err != nil {
		return response{}, q.err
	}
	limit := query.Limit
	query.Limit++
	items, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.SourceItem, error) {
		if _, err := c.Source(r); err != nil {
			return nil, err
		}
		return r.SourceItems(query)
	})
	if err != nil {
		return response{}, err
	}
	var page apiv1.SourceItemList
	if len(items) > limit {
		items = items[:limit]
		page.NextCursor = new(list.cursor(items[limit-1].ID))
	}
	page.Results, page.Count = convert(items, apiv1.NewSourceItem), len(items)
	return newResponse(http.StatusOK, page)
}

// skipSourceItem handles POST /sources/{id}/items/{item_id}/skip.
func (s *Server) skipSourceItem(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		item, err := c.SkipSourceItem(tx, c.itemID)
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusOK, apiv1.SourceItemEnvelope{Item: apiv1.NewSourceItem(item)})
	})
}
