package main

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// judgeThreads compares each post with what its network shows.
func (t *threadWorld) judgeThreads(ctx context.Context, counts map[string]int64) error {
	posts, err := t.posts(ctx)
	if err != nil {
		return err
	}
	events, err := t.outbox(ctx)
	if err != nil {
		return err
	}
	t.judgeThreadEvents(posts, events)
	for _, server := range t.servers {
		shown, err := server.showAll(ctx)
		if err != nil {
			return err
		}
		counts[server.name] = int64(len(shown))
		counts["interrupted"] += int64(t.interrupted(server, posts))
		for _, s := range shown {
			counts["files"] += int64(len(s.files))
		}
		t.judgeNetwork(server, shown, posts)
	}
	return nil
}

// interrupted returns the number of threads that took more attempts than without a fault.
func (t *threadWorld) interrupted(server *threadServer, posts map[string]apiv1.Post) (n int) {
	for _, s := range t.stories {
		requests := len(s.parts)
		if server.whole {
			requests = 1
		}
		p := posts[s.post]
		if s.server == server && len(s.parts) > 1 && len(p.Targets) == 1 && p.Targets[0].Attempts > requests {
			n++
		}
	}
	return n
}

// judgeThreadEvents checks that the end of each target was reported once, however many parts
// it has.
func (t *threadWorld) judgeThreadEvents(posts map[string]apiv1.Post, events []apiv1.Event) {
	byPost := map[string]map[schedctl.EventType]int{}
	t.judged.judgeEvents(observation{events: events}, byPost)
	for _, s := range t.stories {
		if s.retried {
			continue // it has ended twice
		}
		p, want := posts[s.post], map[schedctl.EventType]int{schedctl.EventPostCompleted: 1}
		for _, target := range p.Targets {
			switch target.Status {
			case schedctl.Published:
				want[schedctl.EventPostPublished]++
			case schedctl.Failed:
				want[schedctl.EventPostFailed]++
			}
			if last := target.Parts[len(target.Parts)-1]; last.Kind == schedctl.PartComment && last.Status == schedctl.Failed {
				want[schedctl.EventPostCommentFailed]++
			}
		}
		for _, typ := range []schedctl.EventType{schedctl.EventPostPublished, schedctl.EventPostFailed, schedctl.EventPostCommentFailed, schedctl.EventPostCompleted} {
			if got := byPost[s.post][typ]; got != want[typ] {
				t.judged.violation(wrongStatus, "%s: event %s of post %s (%s) is in the outbox %d times, want %d", s.server.name, typ, s.post, p.Status, got, want[typ])
			}
		}
	}
}

// judgeNetwork judges the posts of one network.
func (t *threadWorld) judgeNetwork(server *threadServer, shown []shownPost, posts map[string]apiv1.Post) {
	found, unknown := t.findStories(server, shown)
	for _, p := range unknown {
		t.judged.violation(wrongStatus, "%s has a post that no client requested: %q", server.name, p.text)
	}
	for _, f := range found {
		p, exists := posts[f.post]
		if !exists || len(p.Targets) != 1 {
			t.judged.violation(lostRecord, "post %s was acknowledged and is missing", f.post)
			continue
		}
		t.judgeStory(f, p.Targets[0], shown)
	}
	for _, f := range found {
		t.judgeGap(f, found)
	}
}

// judgeStory judges the parts of a post.
func (t *threadWorld) judgeStory(f *foundStory, target apiv1.Target, shown []shownPost) {
	name := f.server.name
	present := f.present()
	for i, at := range f.at {
		if len(at) > 1 {
			t.judged.violation(doneTwice, "%s: part %d of target %s (%s) is on the network %d times", name, i, target.ID, target.Status, len(at))
		}
		if len(at) > 0 && i > present {
			t.judged.violation(wrongStatus, "%s: part %d of target %s is on the network, and part %d is not", name, i, target.ID, present)
		}
	}
	t.judgeProgress(f, target, present, len(shown))
	for i := range present {
		t.judgePart(f, target, i, shown)
	}
}

// judgeProgress compares the status of a target with the parts that the network has. total
// is the number of all posts of the network.
func (t *threadWorld) judgeProgress(f *foundStory, target apiv1.Target, present, total int) {
	name, done := f.server.name, donePart(target)
	f.done = done
	failed := target.Error != nil && (target.Status == schedctl.Failed || done < len(f.parts))
	switch {
	case target.Status == schedctl.Published && done == len(f.parts):
		if target.Error != nil {
			t.judged.violation(wrongStatus, "%s: target %s is published with the error %+v", name, target.ID, target.Error)
		}
		if present < done {
			t.judged.violation(lostRecord, "%s: target %s is published, and part %d is not on the network", name, target.ID, present)
		}
	case !failed || commentPending(target) || target.Status == schedctl.Published && done < f.thread():
		t.judged.violation(stuckRecord, "%s: target %s is still %s with %d of %d parts, after %d attempts: %+v", name, target.ID, target.Status, done, len(f.parts), target.Attempts, target.Error)
	case target.Error.Outcome != schedctl.OutcomeUnknown && (target.Parts[done].Attempts < maxTries || present != done):
		t.judged.violation(lostRecord, "%s: target %s failed at part %d without a refusal: %s", name, target.ID, done, target.Error.Message)
	case f.retried:
		t.judged.violation(lostRecord, "%s: target %s was retried, and stopped again after %d parts: %s", name, target.ID, done, target.Error.Message)
	case present != done && present != f.after(done):
		t.judged.violation(wrongStatus, "%s: target %s stopped after %d parts, and the network has %d", name, target.ID, done, present)
	case f.server.cannotAsk:
		t.judged.note("unknown")
	case target.Parts[done].Attempts >= maxTries:
		t.judged.note("out_of_tries") // the daemon was killed during each of them
	case f.server.listed > 0 && total > f.server.listed:
		t.judged.note("not_listed")
	default:
		t.judged.violation(lostRecord, "%s: target %s ended with an unknown outcome at part %d after %d attempts: %s", name, target.ID, done, target.Attempts, target.Error.Message)
	}
}

// judgePart compares a part with what the network shows of it.
func (t *threadWorld) judgePart(f *foundStory, target apiv1.Target, i int, shown []shownPost) {
	name, p, want := f.server.name, shown[f.at[i][0]], f.parts[i]
	if !slices.Equal(p.files, want.files) {
		t.judged.violation(wrongStatus, "%s: part %d of target %s has the files %v, want %v", name, i, target.ID, p.files, want.files)
	}
	if !slices.Equal(p.poll, want.poll) {
		t.judged.violation(wrongStatus, "%s: part %d of target %s has the poll %v, want %v", name, i, target.ID, p.poll, want.poll)
	}
	var parent, root string
	if i > 0 {
		before, first := shown[f.at[i-1][0]], shown[f.at[0][0]]
		if f.at[i][0] < f.at[i-1][0] {
			t.judged.violation(wrongStatus, "%s: part %d of target %s is before part %d", name, i, target.ID, i-1)
		}
		parent, root = before.id, first.id
	}
	if f.server.showsReply && p.parent != parent {
		t.judged.violation(wrongStatus, "%s: part %d of target %s replies to %q, want %q", name, i, target.ID, p.parent, parent)
	}
	if f.server.showsRoot && p.root != root {
		t.judged.violation(wrongStatus, "%s: part %d of target %s is in the thread %q, want %q", name, i, target.ID, p.root, root)
	}
	if i >= len(target.Parts) {
		t.judged.violation(wrongStatus, "target %s has %d parts, want %d", target.ID, len(target.Parts), len(f.parts))
		return
	}
	part, id := target.Parts[i], ""
	if part.PlatformPostID != nil {
		id = *part.PlatformPostID
	}
	if part.Status == schedctl.Published && id != p.id {
		t.judged.violation(wrongStatus, "%s: part %d of target %s is %s on the network, and %s in the daemon", name, i, target.ID, p.id, id)
	}
}

// judgeGap checks that no other post of the account is between the parts of a thread. Its
// first comment may be later. Parts whose outcome is unknown do not count: the network may
// have accepted them late. A thread that a person continues later has gaps.
func (t *threadWorld) judgeGap(f *foundStory, all []*foundStory) {
	parts := min(f.present(), f.thread(), f.done)
	if parts < 2 || f.retried {
		return
	}
	from, to := f.at[0][0], f.at[parts-1][0]
	for _, other := range all {
		if other == f || other.account != f.account {
			continue
		}
		for i, at := range other.at[:min(other.done, len(other.at))] {
			if slices.ContainsFunc(at, func(n int) bool { return from < n && n < to }) {
				t.judged.violation(wrongStatus, "%s: part %d of %s is between the parts of %s", f.server.name, i, other.mark, f.mark)
			}
		}
	}
}
