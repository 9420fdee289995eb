package instagram

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// itemsPrefix starts the id of a stage that is not a container yet, but the containers of
// the files of a carousel. Instagram creates the carousel only after it has processed them.
const itemsPrefix = "items:"

// Stage creates a container. For several files, it creates one for each of them, and Staged
// creates that of the carousel.
func (p *Publisher) Stage(ctx context.Context, r publish.Request) (publish.Stage, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return publish.Stage{}, err
	}
	api, err := p.containers(r.Credentials)
	if err != nil {
		return publish.Stage{}, err
	}
	if err := publish.CheckFetched(r.Files, "Instagram fetches files"); err != nil {
		return publish.Stage{}, err
	}
	expires := time.Now().Add(meta.ContainerLife)
	if len(r.Files) > 1 {
		items, err := createItems(ctx, api, r)
		return publish.Stage{ID: items, ExpiresAt: expires}, err
	}
	form := fileForm(r.Files[0])
	if form.Has("video_url") {
		form.Set("media_type", "REELS")
	}
	setCaption(form, r)
	id, err := api.New(ctx, r, form)
	return publish.Stage{ID: id, ExpiresAt: expires}, err
}

// createItems creates the containers of the files of a carousel.
func createItems(ctx context.Context, api meta.Containers, r publish.Request) (string, error) {
	var items []string
	for _, f := range r.Files {
		form := fileForm(f)
		form.Set("is_carousel_item", "true")
		if form.Has("video_url") {
			form.Set("media_type", "VIDEO")
		}
		id, err := api.New(ctx, r, form)
		if err != nil {
			return "", err
		}
		items = append(items, id)
	}
	return itemsPrefix + strings.Join(items, ","), nil
}

// fileForm returns the parameters of a container with a file.
func fileForm(f publish.File) url.Values {
	if f.Class() == schedctl.MediaVideo {
		return url.Values{"video_url": {f.URL}}
	}
	form := url.Values{"image_url": {f.URL}}
	if f.AltText != "" {
		form.Set("alt_text", f.AltText)
	}
	return form
}

func setCaption(form url.Values, r publish.Request) {
	if r.Content != "" {
		form.Set("caption", r.Content)
	}
}

// Staged implements [publish.Stager].
func (p *Publisher) Staged(ctx context.Context, r publish.Request, s publish.Stage) (publish.Stage, error) {
	api, err := p.containers(r.Credentials)
	if err != nil {
		return s, err
	}
	if items, ok := strings.CutPrefix(s.ID, itemsPrefix); ok {
		return carousel(ctx, api, r, s, strings.Split(items, ","))
	}
	return api.Staged(ctx, s)
}

// carousel creates the container of a carousel if Instagram has processed its items.
func carousel(ctx context.Context, api meta.Containers, r publish.Request, s publish.Stage, items []string) (publish.Stage, error) {
	unknown := false
	for _, item := range items {
		status, err := api.StatusOf(ctx, item)
		switch {
		case publish.NotKnown(err):
			unknown = true // the request below shows it
		case err != nil:
			return s, err
		case status == meta.StatusInProgress:
			return s, nil
		case status != meta.StatusFinished:
			return s, api.Lost()
		}
	}
	form := url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(items, ",")}}
	setCaption(form, r)
	id, err := api.New(ctx, r, form)
	switch {
	case err != nil && unknown && strings.HasPrefix(publish.AsError(err).Code, strconv.Itoa(meta.CodeNotReady)):
		return s, nil
	case err != nil:
		return s, err
	}
	s.ID = id
	return s, nil
}

// Publish publishes the container of the request.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	api, err := p.containers(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return api.Publish(ctx, r)
}
