package files

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

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

// maxCompared is how many posts of other collections are read to recognize those of files.
const maxCompared = 1000

// refuseMoved refuses to create posts and series that other collections of the repository
// have, posts for the same time.
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
	collections = slices.DeleteFunc(collections, func(c apiv1.Collection) bool { return c.Source != p.owner.Source || c.Name == p.collection })
	owner := map[string]string{} // by what they publish, and when
	for i := range p.otherSeries {
		s := &p.otherSeries[i]
		if slices.ContainsFunc(collections, func(c apiv1.Collection) bool { return c.Name == s.Managed.Collection }) {
			owner[stateOfSeries(s, nil).publishes()] = s.Managed.Collection
		}
	}
	posts := slices.DeleteFunc(slices.Clone(created), func(w wantedPost) bool { return w.series != nil })
	if err := p.comparePosts(ctx, collections, posts, owner); err != nil {
		return err
	}
	for _, w := range created {
		if name, found := owner[w.publishes()+w.At]; found {
			p.refuse(refusal{w.doc.Problemf(w.doc.First, "the same post as in the collection %s of this repository; keep \"collection: %s\", or create it a second time with --allow-duplicate", name, name), schedctl.DuplicateContent})
		}
	}
	return nil
}

// comparePosts adds the open posts of collections that could be those of files.
func (p *planner) comparePosts(ctx context.Context, collections []apiv1.Collection, created []wantedPost, owner map[string]string) error {
	if len(created) == 0 {
		return nil
	}
	scheduled := client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled}, Limit: post.PageSize}
	if byTime := func(a, b wantedPost) int { return a.moment.Time.Compare(b.moment.Time) }; !slices.ContainsFunc(created, func(w wantedPost) bool { return w.Queue != "" }) {
		timed := slices.DeleteFunc(slices.Clone(created), func(w wantedPost) bool { return w.At == "" })
		if len(timed) > 0 {
			scheduled.After, scheduled.Before = slices.MinFunc(timed, byTime).moment.Time, slices.MaxFunc(timed, byTime).moment.Time.Add(time.Second)
		}
	}
	drafts := client.PostQuery{Statuses: []schedctl.Status{schedctl.Draft}, Limit: post.PageSize}
	read := 0
	for _, c := range collections {
		for _, q := range []client.PostQuery{scheduled, drafts} {
			q.Collection = c.Name
			for found, err := range p.client.EachPost(ctx, q) {
				if err != nil {
					return err
				}
				if read++; read > maxCompared {
					p.Messagef("warning: the files were compared with %d posts of other collections of this repository, and not with the others", maxCompared)
					return nil
				}
				s := stateOf(found)
				owner[s.publishes()+s.At] = c.Name
			}
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
