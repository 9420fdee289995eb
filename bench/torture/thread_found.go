package main

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// foundStory is a story with what its network shows of it.
type foundStory struct {
	*threadStory
	at   [][]int // of each part, the indexes of the posts with its text
	done int     // parts that the daemon reports as published; set by the judge
}

// findStories returns the stories of a network with the posts that it shows, and the posts
// that belong to no story.
func (t *threadWorld) findStories(server *threadServer, shown []shownPost) (found []*foundStory, unknown []shownPost) {
	type place struct {
		story *foundStory
		part  int
	}
	places := map[string]place{} // by text
	for _, s := range t.stories {
		if s.server != server {
			continue
		}
		f := &foundStory{threadStory: s, at: make([][]int, len(s.parts))}
		found = append(found, f)
		for i, part := range s.parts {
			places[part.text] = place{f, i}
		}
	}
	for i, p := range shown {
		if at, ok := places[p.text]; ok {
			at.story.at[at.part] = append(at.story.at[at.part], i)
		} else {
			unknown = append(unknown, p)
		}
	}
	return found, unknown
}

// present returns the number of parts that the network shows, up to the first missing one.
func (f *foundStory) present() int {
	n := slices.IndexFunc(f.at, func(at []int) bool { return len(at) == 0 })
	if n < 0 {
		return len(f.at)
	}
	return n
}

// after returns the number of parts that the network has after a request that publishes the
// part with an index.
func (f *foundStory) after(index int) int {
	if f.server.whole {
		return len(f.parts)
	}
	return index + 1
}

// donePart returns the number of parts of a target that are published.
func donePart(t apiv1.Target) int {
	n := slices.IndexFunc(t.Parts, func(p apiv1.TargetPart) bool { return p.Status != schedctl.Published })
	if n < 0 {
		return len(t.Parts)
	}
	return n
}

// retryStopped continues the posts that stopped at a part whose outcome is unknown, as a
// person does after a look at the network: if it does not have that part.
func (t *threadWorld) retryStopped(ctx context.Context) error {
	posts, err := t.posts(ctx)
	if err != nil {
		return err
	}
	for _, server := range t.servers {
		shown, err := server.showAll(ctx)
		if err != nil {
			return err
		}
		found, _ := t.findStories(server, shown)
		for _, f := range found {
			p := posts[f.post]
			if len(p.Targets) != 1 || !stopped(p.Targets[0]) || f.present() != donePart(p.Targets[0]) {
				continue
			}
			if err := t.daemon().Call(ctx, "POST", "/posts/"+f.post+"/retry", `{"force":true}`, nil); err != nil {
				return err
			}
			f.retried = true
			t.judged.note("retried")
		}
	}
	return nil
}

// stopped reports whether a target, or its first comment, ended with an unknown outcome.
func stopped(t apiv1.Target) bool {
	return t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown && !commentPending(t) &&
		(t.Status == schedctl.Failed || t.Status == schedctl.Published && donePart(t) < len(t.Parts))
}
