package threads

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// Stage creates a container, and before it one for each picture of several.
func (p *Publisher) Stage(ctx context.Context, r publish.Request) (publish.Stage, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return publish.Stage{}, err
	}
	if err := publish.CheckReplyIDs(&r); err != nil {
		return publish.Stage{}, err
	}
	api, err := p.containers(r.Credentials)
	if err != nil {
		return publish.Stage{}, err
	}
	if err := publish.CheckFetched(r.Files, "Threads fetches files"); err != nil {
		return publish.Stage{}, err
	}
	if r.Part > 0 {
		if err := checkReplies(ctx, api.API); err != nil {
			return publish.Stage{}, err
		}
	}
	started := time.Now()
	form := url.Values{"media_type": {"TEXT"}}
	switch {
	case len(r.Files) == 1:
		form = mediaForm(r.Files[0])
	case len(r.Files) > 1:
		var items []string
		for _, f := range r.Files {
			item := mediaForm(f)
			item.Set("is_carousel_item", "true")
			id, err := api.New(ctx, r, item)
			if err != nil {
				return publish.Stage{}, err
			}
			items = append(items, id)
		}
		form = url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(items, ",")}}
	}
	if r.Content != "" {
		form.Set("text", r.Content)
	}
	if r.Parent != nil {
		form.Set("reply_to_id", r.Parent.ID)
	}
	id, err := api.New(ctx, r, form)
	if err != nil {
		return publish.Stage{}, err
	}
	return publish.Stage{ID: id, ExpiresAt: started.Add(meta.ContainerLife)}, nil
}

// mediaForm returns the parameters of a container with a file.
func mediaForm(f publish.File) url.Values {
	form := url.Values{"media_type": {"IMAGE"}, "image_url": {f.URL}}
	if f.Class() == schedctl.MediaVideo {
		form = url.Values{"media_type": {"VIDEO"}, "video_url": {f.URL}}
	}
	if f.AltText != "" {
		form.Set("alt_text", f.AltText)
	}
	return form
}

// Staged implements [publish.Stager].
func (p *Publisher) Staged(ctx context.Context, r publish.Request, s publish.Stage) (publish.Stage, error) {
	api, err := p.containers(r.Credentials)
	if err != nil {
		return s, err
	}
	return api.Staged(ctx, s)
}

// Publish publishes the container of the request.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	api, err := p.containers(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return api.Publish(ctx, r)
}
