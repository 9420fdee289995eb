package files

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// refuseRenamed refuses to create a post or a series that exists already, because its file has
// got another id or was moved to another collection of the repository. posts and series are
// those of the collection without a file.
func (p *planner) refuseRenamed(ctx context.Context, posts map[string]apiv1.Post, series map[string]*collectedSeries) error {
	if p.allowDuplicate {
		return nil
	}
	gone := map[string]string{} // ids by what they publish
	for _, id := range slices.Sorted(maps.Keys(posts)) {
		if old := (&step{post: posts[id]}); isOpen(old.post) {
			if p.decide(old); old.Action != doCancel {
				gone[stateOf(old.post).publishes()] = id
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(series)) {
		if s := series[id]; s.State != schedctl.SeriesEnded && !p.prune {
			gone[s.is.publishes()] = id
		}
	}
	var created []wantedPost
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == doCreate {
			created = append(created, s.wanted)
		}
	}
	for i := range p.series {
		if s := &p.series[i]; s.Action == doCreate && s.wanted != nil {
			created = append(created, *s.wanted)
		}
	}
	created = slices.DeleteFunc(created, func(w wantedPost) bool {
		id, found := gone[w.publishes()]
		if found {
			p.refuse(refusal{w.doc.Problemf(w.doc.Line("id"), "the same post as %s, which has another id; keep \"id: %s\", or create it a second time with --allow-duplicate", id, id), schedctl.DuplicateContent})
		}
		return found
	})
	return p.refuseMoved(ctx, created)
}

// refuseMoved refuses to create posts that other collections of the repository have for the
// same time.
func (p *planner) refuseMoved(ctx context.Context, created []wantedPost) error {
	if p.owner.Source == "" || len(created) == 0 {
		return nil
	}
	collections, err := p.client.Collections(ctx)
	if err != nil {
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil // a daemon without collections
		}
		return err
	}
	owner := map[string]string{} // by what they publish, and when
	for _, c := range collections {
		if c.Source != p.owner.Source || c.Name == p.collection {
			continue
		}
		q := client.PostQuery{Collection: c.Name, Statuses: []schedctl.Status{schedctl.Draft, schedctl.Scheduled}, Limit: post.PageSize}
		for found, err := range p.client.EachPost(ctx, q) {
			if err != nil {
				return err
			}
			s := stateOf(found)
			owner[s.publishes()+s.At] = c.Name
		}
	}
	for _, w := range created {
		if name, found := owner[w.publishes()+w.At]; found && w.series == nil {
			p.refuse(refusal{w.doc.Problemf(w.doc.First, "the same post as in the collection %s of this repository; keep \"collection: %s\", or create it a second time with --allow-duplicate", name, name), schedctl.DuplicateContent})
		}
	}
	return nil
}

// publishes identifies what a post publishes on which accounts, or a series.
func (s postState) publishes() string {
	parts := []string{s.textFor("")}
	for _, id := range s.Accounts {
		parts = append(parts, id, s.textFor(id))
	}
	if s.Series != nil {
		parts = append(parts, "series", s.Series.Rule, s.Series.Timezone, cli.FirstNonEmpty(s.Series.Variants...))
	}
	return strings.Join(parts, "\x00")
}
