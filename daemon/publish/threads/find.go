package threads

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

// MayConfuse implements [publish.ContentFinder]: posts are found by their text.
func (p *Publisher) MayConfuse(a, b string) bool { return meta.SameText(a, b) }

// Find asks whether the container of a request was published, and for the post.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	api, err := p.containers(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	edge := "threads"
	if r.Part > 0 {
		edge = "replies"
	}
	return api.Find(ctx, r, since, meta.Search{Edge: edge, Fields: "id,text,permalink,timestamp,replied_to", Same: func(o meta.OwnPost) bool {
		return meta.SameText(o.Text, r.Content) && (r.Parent == nil || o.RepliedTo.ID == r.Parent.ID)
	}})
}
