package main

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// judgeMedia compares each post with what its network shows.
func (m *mediaWorld) judgeMedia(ctx context.Context, counts map[string]int64) error {
	posts, err := m.posts(ctx)
	if err != nil {
		return err
	}
	for _, s := range m.stories {
		p, found := posts[s.post]
		if !found || len(p.Targets) != 1 {
			m.judged.violation(lostRecord, "post %s was acknowledged and is missing", s.post)
			continue
		}
		ids := s.server.acceptedWith(s.text)
		m.judgeOutcome(s, p.Targets[0], ids)
		counts[s.server.name] += int64(len(ids))
		for _, id := range ids {
			shown, err := s.server.read(ctx, id)
			if err != nil {
				return err
			}
			counts["files"] += int64(len(shown))
			if !slices.Equal(shown, s.files) {
				m.judged.violation(wrongStatus, "%s shows post %s with the files %v, want %v", s.server.name, s.post, shown, s.files)
			}
		}
	}
	for _, g := range m.servers {
		if g.fake != nil {
			counts["lost_uploads"], counts["refused_files"] = int64(g.fake.lost), int64(len(g.fake.refused))
		}
	}
	return nil
}

// judgeOutcome compares the status of a target with the posts of its network.
func (m *mediaWorld) judgeOutcome(s *mediaStory, t apiv1.Target, ids []string) {
	if len(ids) > 1 {
		m.judged.violation(doneTwice, "target %s (%s) was posted %d times on %s", t.ID, t.Status, len(ids), s.server.name)
	}
	switch {
	case t.Status == schedctl.Published:
		if len(ids) == 0 {
			m.judged.violation(lostRecord, "target %s is published, and %s does not have it", t.ID, s.server.name)
		} else if t.PlatformPostID == nil || *t.PlatformPostID != ids[0] {
			m.judged.violation(wrongStatus, "target %s: %s calls it %s, the daemon %v", t.ID, s.server.name, ids[0], t.PlatformPostID)
		}
		if t.Error != nil {
			m.judged.violation(wrongStatus, "target %s is published with the error %+v", t.ID, t.Error)
		}
	case t.Status != schedctl.Failed || t.Error == nil:
		m.judged.violation(stuckRecord, "target %s on %s is still %s after %d attempts, the next at %v: %+v", t.ID, s.server.name, t.Status, t.Attempts, t.NextAttemptAt, t.Error)
	case t.Error.Outcome == schedctl.OutcomeUnknown && (!s.server.retries || t.Attempts >= maxTries):
		m.judged.note("unknown")
	case t.Error.Outcome == schedctl.OutcomeUnknown:
		m.judged.violation(lostRecord, "target %s on %s ended with an unknown outcome after %d attempts: %s", t.ID, s.server.name, t.Attempts, t.Error.Message)
	case len(ids) > 0:
		m.judged.violation(wrongStatus, "target %s is reported as not published, and %s has it", t.ID, s.server.name)
	case !s.refused():
		m.judged.violation(lostRecord, "target %s on %s failed without a refusal: %s", t.ID, s.server.name, t.Error.Message)
	default:
		m.judged.note("refused")
	}
}

// refused reports whether the network has refused a file of the post.
func (s *mediaStory) refused() bool {
	return s.server.fake != nil && slices.ContainsFunc(s.files, func(f shownFile) bool { return s.server.fake.hasRefused(f.sha256) })
}
