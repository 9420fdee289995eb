package files

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// readLock adds to posts those that are only in .schedctl.json, the file of an earlier
// version, and returns their ids. apply adds them to the collection before it changes
// them.
func (p *planner) readLock(ctx context.Context, posts map[string]apiv1.Post) (moved map[string]bool, err error) {
	moved = map[string]bool{}
	if p.lock == nil {
		return moved, nil
	}
	me, err := p.client.Me(ctx)
	if err != nil {
		return nil, err
	}
	for id, entry := range p.lock[me.Workspace.ID] {
		if _, known := posts[id]; known || entry.Gone {
			continue
		}
		if !postfile.IsID(id) {
			p.addProblems(postfile.Problem{Path: postfile.LockName, Line: 1, Message: fmt.Sprintf("the id %q is no longer valid; change it here and in its file", cli.Clip(id, 40))})
			continue
		}
		post, err := p.client.Post(ctx, entry.Post)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
			continue
		case err != nil:
			return nil, err
		case post.ExternalID != nil || post.Managed != nil:
			continue // moved elsewhere
		}
		digest := "v0:" + entry.Applied // which no post has: it was changed outside the files
		if lockFingerprint(post) == entry.Applied {
			digest = stateOf(post).digest()
		}
		post.Managed = &apiv1.Managed{Digest: digest}
		posts[id], moved[id] = post, true
	}
	return moved, nil
}

// lockFingerprint returns the fingerprint of a post in .schedctl.json.
func lockFingerprint(p apiv1.Post) string {
	s := stateOf(p)
	var at time.Time
	if p.PublishAt != nil {
		at = p.PublishAt.UTC()
	}
	parts := []string{ContentFingerprint(s.Content, at, s.Accounts)}
	for _, o := range s.Overrides {
		if o.Content != "" {
			parts = append(parts, o.Account, o.Content)
		}
	}
	return post.DeriveKey(parts...)
}
