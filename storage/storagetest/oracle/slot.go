package oracle

import (
	"slices"
	"time"
)

// FirstSlot returns the first slot of the world after a time.
func (w *World) FirstSlot(after time.Time) time.Time {
	start := time.Unix(0, 0).Add(w.SlotOffset)
	return start.Add((after.Sub(start)/w.SlotEvery + 1) * w.SlotEvery).UTC()
}

// SlotMargin is how long before its time a slot can be taken.
const SlotMargin = time.Second

// nextSlot returns the first slot at which none of the accounts has a live target.
func (m *model) nextSlot(accounts []string, now time.Time) time.Time {
	at := m.world.FirstSlot(now.Add(SlotMargin))
	for m.occupied(accounts, at) {
		at = at.Add(m.world.SlotEvery)
	}
	return at
}

// occupied reports whether one of the accounts has a live target at a time.
func (m *model) occupied(accounts []string, at time.Time) bool {
	return slices.ContainsFunc(m.posts, func(p *post) bool {
		return !p.deleted && p.PublishAt.Equal(at) && slices.ContainsFunc(p.targets, func(t *target) bool {
			live := t.Status == "scheduled" || t.Status == "publishing" || t.Status == "published"
			return live && slices.Contains(accounts, t.Account)
		})
	})
}

// slotIsTaken reports whether the post cannot keep its slot with these accounts: an
// added one has another post there.
func (m *model) slotIsTaken(p *post, accounts []string) bool {
	added := slices.DeleteFunc(slices.Clone(accounts), func(id string) bool { return slices.Contains(p.accountIDs(), id) })
	return p.inSlot && m.occupied(added, p.PublishAt)
}
