package instagram

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// findAfter is how long after a request with an unknown outcome the network is asked.
const findAfter = 5 * time.Second

// FindAfter implements [publish.PromptFinder]: a container is published at most once.
func (p *Publisher) FindAfter() time.Duration { return findAfter }

// MayConfuse implements [publish.ContentFinder]: posts are found by their captions.
func (p *Publisher) MayConfuse(a, b string) bool { return meta.SameText(a, b) }

// Find asks whether the container of a request was published, and for the post.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	api, err := p.containers(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	kind := kindOf(r.Files)
	return api.Find(ctx, r, since, meta.Search{Edge: "media", Fields: "id,caption,media_type,permalink,timestamp", Same: func(o meta.OwnPost) bool {
		return meta.SameText(o.Caption, r.Content) && (kind == "" || o.Kind == "" || o.Kind == kind)
	}})
}

// kindOf returns the media_type of a post with these files, or the empty string if they are
// not known.
func kindOf(files []publish.File) string {
	switch {
	case len(files) > 1:
		return "CAROUSEL_ALBUM"
	case len(files) == 0 || files[0].MIMEType == "":
		return ""
	case files[0].Class() == schedctl.MediaVideo:
		return "VIDEO"
	}
	return "IMAGE"
}
