package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// OpenSource returns the credentials of a source that sealer has sealed.
func OpenSource(open func(sealed []byte, owner string) ([]byte, error)) func(*schedctl.Source) (source.Credentials, error) {
	return func(s *schedctl.Source) (source.Credentials, error) {
		if len(s.Credentials) == 0 {
			return source.Credentials{}, nil
		}
		c, err := openSecrets(open, s)
		return c.credentials(), err
	}
}

func (c sourceSecrets) credentials() (out source.Credentials) {
	if a := c.BasicAuth; a != nil {
		out.Username, out.Password = a.Username, a.Password
	}
	if h := c.Header; h != nil {
		out.HeaderName, out.HeaderValue = h.Name, h.Value
	}
	return out
}

// errSourceStore is the message of a request whose work on a source could not be stored.
const errSourceStore = "the daemon could not store this; repeat the request"

var errNoSources = schedctl.Errorf(schedctl.Unavailable, "", "this daemon does not work on sources")

// runs returns the runner of sources and the source, after the check that the key may change it.
func (s *Server) runs(ctx context.Context, c *request, writes bool) (*source.Runner, schedctl.Source, error) {
	v, err := storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.Source, error) {
		if writes {
			return c.WritableSource(r)
		}
		return c.Source(r)
	})
	if err == nil && s.sources == nil {
		err = errNoSources
	}
	return s.sources, v, err
}

// fetchSource handles POST /sources/{id}/fetch.
func (s *Server) fetchSource(ctx context.Context, c *request) (response, error) {
	runner, _, err := s.runs(ctx, c, true)
	if err != nil {
		return response{}, err
	}
	result, err := runner.Fetch(ctx, c.Key.WorkspaceID, c.ID)
	if err != nil {
		return response{}, storeError(err, errSourceStore)
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		v, err := tx.Source(c.Key.WorkspaceID, c.ID)
		if err != nil {
			return response{}, err
		}
		a, err := newResponse(http.StatusOK, apiv1.SourceEnvelope{Source: s.showSource(c, &v), Fetch: (*apiv1.SourceFetch)(&result)})
		a.etag, a.fresh = versionTag(v.Version), true
		return a, err
	})
}

// postSourceItem handles POST /sources/{id}/items/{item_id}/post.
func (s *Server) postSourceItem(ctx context.Context, c *request) (response, error) {
	runner, _, err := s.runs(ctx, c, true)
	if err == nil {
		_, err = storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.SourceItem, error) { return c.SourceItem(r, c.itemID) })
	}
	if err != nil {
		return response{}, err
	}
	item, err := runner.Post(ctx, c.Key.WorkspaceID, c.ID, c.itemID)
	return s.itemResponse(ctx, c, http.StatusOK, item, err)
}

func (s *Server) itemResponse(ctx context.Context, c *request, status int, item schedctl.SourceItem, err error) (response, error) {
	if err != nil {
		return response{}, storeError(err, errSourceStore)
	}
	return s.commit(ctx, c, func(storage.Tx) (response, error) {
		a, err := newResponse(status, apiv1.SourceItemEnvelope{Item: apiv1.NewSourceItem(item)})
		if status == http.StatusCreated {
			a.location = prefix + "/sources/" + c.ID + "/items"
		}
		return a, err
	})
}

// sendSourceItem handles POST /sources/{id}/items. An item that is known is returned as it is.
func (s *Server) sendSourceItem(ctx context.Context, c *request, b apiv1.SendSourceItem) (response, error) {
	runner, v, err := s.runs(ctx, c, false)
	if err != nil {
		return response{}, err
	}
	sent := source.Sent{ExternalID: b.ExternalID, Item: feed.Item{
		Title: feed.Title(b.Title), Summary: feed.Text(b.Summary), Tags: b.Tags, Author: feed.Title(b.Author), Published: timeOf(b.Published).UTC(),
	}}
	if sent.Link, err = webLink("link", b.Link); err != nil {
		return response{}, err
	}
	if b.Image != nil {
		sent.Images = []feed.Image{{URL: b.Image.URL, Alt: b.Image.Alt}}
	}
	if b.Published == nil {
		sent.Published = c.Now.UTC()
	}
	// The source acts for its own key: one that may do less does not publish through it.
	draft := !c.Key.Allows(schedctl.ScopePostsWrite) || c.Key.OwnOnly() && v.KeyID != c.Key.ID
	item, known, err := runner.Send(ctx, c.Key.WorkspaceID, c.ID, sent, draft)
	status := http.StatusCreated
	if known {
		status = http.StatusOK
	}
	return s.itemResponse(ctx, c, status, item, err)
}

// webLink checks the address of an item. It may be empty.
func webLink(field, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := outbound.ParseURL(text); err != nil {
		return "", schedctl.Errorf(schedctl.ValidationFailed, field, "%s: %v", field, err)
	}
	return text, nil
}

// previewSource handles POST /sources/preview. It stores nothing.
func (s *Server) previewSource(ctx context.Context, c *request, b sourceChange) (response, error) {
	if s.sources == nil {
		return response{}, errNoSources
	}
	v := schedctl.Source{ID: schedctl.NewID(schedctl.SourcePrefix, c.Now), WorkspaceID: c.Key.WorkspaceID, KeyID: c.Key.ID, CreatedAt: c.Now, Version: 1}
	b.apply(&v)
	v.SetDefaults()
	err := v.Check()
	if err == nil {
		err = s.sourceChange(&b).Check(&v)
	}
	if err == nil && v.Kind != schedctl.SourceFeed {
		err = schedctl.Errorf(schedctl.ValidationFailed, "kind", "a source of kind webhook has no feed to look at")
	}
	if err == nil {
		err = usecase.SourceMay(&c.Key, &v, c.Now)
	}
	if err == nil {
		_, err = storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Account, error) { return c.Accounts(r, v.AccountIDs) })
	}
	if err != nil {
		return response{}, err
	}
	p, err := s.sources.Preview(ctx, v, sourceSecrets{b.BasicAuth, b.Header}.credentials(), &c.Key)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, newSourcePreview(p))
}

func newSourcePreview(p source.Preview) apiv1.SourcePreview {
	out := apiv1.SourcePreview{
		Title: p.Feed.Title, Format: p.Feed.Format, Items: len(p.Feed.Items), KnownBy: p.KnownBy, Warnings: append([]string{}, p.Feed.Warnings...), Posts: []apiv1.SourcePreviewPost{},
	}
	for _, post := range p.Posts {
		shown := apiv1.SourcePreviewPost{Item: apiv1.NewSourceItem(post.Item), Texts: []apiv1.SourcePreviewText{}}
		if post.Image != "" {
			shown.Image = &post.Image
		}
		for _, t := range post.Texts {
			text := apiv1.SourcePreviewText{SocialAccountID: t.Account.ID, Platform: t.Account.Platform, Content: t.Text, Length: t.Length.Count, Limit: t.Length.Limit, Unit: t.Length.Unit}
			if t.Err != nil {
				text.Error = t.Err.Error()
			}
			shown.Texts = append(shown.Texts, text)
		}
		out.Posts = append(out.Posts, shown)
	}
	return out
}
