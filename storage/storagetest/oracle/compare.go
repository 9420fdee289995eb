package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// compare compares the observed state with the model. ordered is the number of expected
// events whose order is defined.
func (m *model) compare(got State, ordered int) error {
	if err := m.compareEvents(got.Events, ordered); err != nil {
		return err
	}
	if err := m.comparePosts(got.Posts); err != nil {
		return err
	}
	if err := m.compareDue(got.Due); err != nil {
		return err
	}
	if err := m.compareUses(got.Uses); err != nil {
		return err
	}
	if err := m.comparePublications(got.Publications); err != nil {
		return err
	}
	if err := m.compareTwins(got.Twins); err != nil {
		return err
	}
	for _, a := range got.Accounts {
		known := m.accounts[a.ID]
		if !a.PausedUntil.Before(known.PausedUntil) && !a.PausedUntil.After(known.latestPause) {
			known.PausedUntil, known.latestPause = a.PausedUntil, a.PausedUntil
		}
		want := known.Account
		if a.Status != want.Status || !a.PausedUntil.Equal(want.PausedUntil) {
			return fmt.Errorf("account %s is %s, paused until %v\nwant %s, paused until %v", a.ID, a.Status, a.PausedUntil, want.Status, want.PausedUntil)
		}
	}
	return nil
}

func (m *model) comparePosts(got []Post) error {
	there := make(map[string]Post, len(got))
	for _, p := range got {
		there[p.ID] = p
	}
	for _, p := range m.posts {
		seen, ok := there[p.ID]
		delete(there, p.ID)
		if ok == p.deleted {
			return fmt.Errorf("%s exists: %v; want %v", p.ID, ok, !p.deleted)
		}
		if !ok {
			continue
		}
		p.adoptRetryTimes(seen)
		if err := samePost(p.public(), seen); err != nil {
			return err
		}
	}
	for id := range there {
		return fmt.Errorf("%s exists without having been created", id)
	}
	return nil
}

// adoptRetryTimes takes over the observed times of next attempts, if they are within
// the allowed range.
func (p *post) adoptRetryTimes(seen Post) {
	for i, t := range p.targets {
		if i >= len(seen.Targets) {
			return
		}
		at := seen.Targets[i].NextAttemptAt
		if !at.Before(t.NextAttemptAt) && !at.After(t.latest) {
			t.NextAttemptAt, t.latest = at, at
		}
	}
}

func samePost(want, got Post) error {
	if want.equal(got) {
		return nil
	}
	return fmt.Errorf("the post is\n%swant\n%s", describe(got), describe(want))
}

// equal reports whether two posts look the same.
func (p Post) equal(o Post) bool {
	return p.ID == o.ID && p.Workspace == o.Workspace && p.Content == o.Content && slices.Equal(p.Media, o.Media) && p.Status == o.Status && p.Version == o.Version &&
		p.PublishAt.Equal(o.PublishAt) && p.CreatedAt.Equal(o.CreatedAt) && p.UpdatedAt.Equal(o.UpdatedAt) &&
		p.Extras.text() == o.Extras.text() && slices.EqualFunc(p.Targets, o.Targets, Target.equal)
}

func (t Target) equal(o Target) bool {
	return t.ID == o.ID && t.Account == o.Account && t.Status == o.Status && t.Attempts == o.Attempts && t.Error == o.Error &&
		t.PublishAt.Equal(o.PublishAt) && t.NextAttemptAt.Equal(o.NextAttemptAt) && t.PublishedAt.Equal(o.PublishedAt) &&
		slices.EqualFunc(t.Parts, o.Parts, func(a, b PartState) bool { return a.text() == b.text() })
}

func describe(p Post) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t%s in %s: %s, version %d, publish_at %v, created %v, updated %v, %q, media %v\n",
		p.ID, p.Workspace, p.Status, p.Version, p.PublishAt, p.CreatedAt, p.UpdatedAt, clip(p.Content), p.Media)
	fmt.Fprintln(&b, p.Extras.text())
	for _, t := range p.Targets {
		fmt.Fprintf(&b, "\t\t%s on %s: %s, publish_at %v, next %v, published %v, attempts %d, error %+v\n",
			t.ID, t.Account, t.Status, t.PublishAt, t.NextAttemptAt, t.PublishedAt, t.Attempts, t.Error)
		for _, part := range t.Parts {
			fmt.Fprintf(&b, "\t\t\t%s\n", part.text())
		}
	}
	return strings.ReplaceAll(b.String(), "0001-01-01 00:00:00 +0000 UTC", "never")
}

func (m *model) compareDue(got []Due) error {
	var want []Due
	for _, p := range m.posts {
		for _, t := range p.targets {
			if at, waits := t.due(); waits && !p.deleted {
				want = append(want, Due{at, t.ID})
			}
		}
	}
	if !slices.IsSortedFunc(got, func(a, b Due) int { return a.At.Compare(b.At) }) {
		return fmt.Errorf("the due index is out of order: %v", got)
	}
	byTarget := func(a, b Due) int { return strings.Compare(a.Target, b.Target) }
	got = slices.SortedFunc(slices.Values(got), byTarget)
	slices.SortFunc(want, byTarget)
	if !slices.EqualFunc(want, got, func(a, b Due) bool { return a.Target == b.Target && a.At.Equal(b.At) }) {
		return fmt.Errorf("the due index has %v\nwant %v", got, want)
	}
	return nil
}

func (m *model) compareUses(got []Use) error {
	if len(m.world.Assets) == 0 {
		return nil
	}
	var want []Use
	for _, p := range m.posts {
		for _, id := range p.uses() {
			if !p.deleted {
				want = append(want, Use{id, p.ID})
			}
		}
	}
	inOrder := func(a, b Use) int { return cmp.Or(strings.Compare(a.Asset, b.Asset), strings.Compare(a.Post, b.Post)) }
	got = slices.SortedFunc(slices.Values(got), inOrder)
	slices.SortFunc(want, inOrder)
	if !slices.Equal(want, got) {
		return fmt.Errorf("the uses of media are %v\nwant %v", got, want)
	}
	return nil
}

// compareEvents compares the events of a step: those of a request in their order, those
// of deliveries by time, post and target.
func (m *model) compareEvents(got []Event, ordered int) error {
	want := m.events
	m.events = nil
	if n := min(ordered, len(got)); n < len(got) {
		got = slices.Clone(got)
		sortEvents(got[n:])
	}
	sortEvents(want[ordered:])
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || formatEvent(want[i]) != formatEvent(got[i]) {
			return fmt.Errorf("the events are\n%swant\n%s", formatEvents(got), formatEvents(want))
		}
	}
	return nil
}

// sortEvents sorts simultaneous events by post and target; events of a post come after
// those of its targets.
func sortEvents(events []Event) {
	slices.SortStableFunc(events, func(a, b Event) int {
		last := func(e Event) int {
			if e.Target == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Post, b.Post), cmp.Compare(last(a), last(b)), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Target, b.Target))
	})
}

func formatEvent(e Event) string {
	if e.Target == "" {
		e.Error = Fault{} // the error is that of the account, not of a target
	}
	e.At = e.At.UTC()
	return fmt.Sprintf("\t%s %s %s %s %s %v %+v %d parts\n", e.Type, e.Post, e.Target, e.Account, e.Status, e.At, e.Error, e.Parts) + e.Workspace
}

func formatEvents(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		text, _, _ := strings.Cut(formatEvent(e), "\n")
		b.WriteString(text + "\n")
	}
	return b.String()
}
