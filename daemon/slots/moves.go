package slots

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// MaxMoves is the largest number of posts that [Reflow] moves at once.
const MaxMoves = 500

// Move is a scheduled post that gets another slot.
type Move struct {
	Post schedctl.Post // before the move
	To   Taken

	// Behind are the ids of posts of the queue that stay, and that the post was before and
	// gets behind, because there is no free slot between. At most maxBehind.
	Behind []string
}

// maxBehind is how many posts a [Move] names.
const maxBehind = 20

// Queued returns the scheduled posts that have slots of a queue, in the order of the
// queue. Posts that are about to be published are not among them.
func Queued(r storage.Reader, workspaceID, queueID string, now time.Time) ([]schedctl.Post, error) {
	query := storage.PostQuery{
		WorkspaceID: workspaceID, QueueID: queueID, Statuses: []schedctl.Status{schedctl.Scheduled}, PublishAfter: First(time.Time{}, now),
		Sort: storage.PublishAscending, Limit: 1000,
	}
	var posts []schedctl.Post
	for {
		page, err := r.Posts(query)
		if err != nil {
			return nil, err
		}
		for _, p := range page.Posts {
			if p.Slot != (schedctl.Slot{}) {
				posts = append(posts, p)
			}
		}
		if query.After = page.Next; page.Next == nil {
			slices.SortFunc(posts, schedctl.CompareQueued)
			return posts, nil
		}
	}
}

// Displaced returns the posts whose slots the queue does not have any more.
func Displaced(q *schedctl.Queue, posts []schedctl.Post) []schedctl.Post {
	return slices.DeleteFunc(slices.Clone(posts), func(p schedctl.Post) bool { return q.HasSlot(p.Slot) })
}

// Digest identifies the state of a queue and of its posts, which are in the order of the
// queue.
func Digest(q *schedctl.Queue, posts []schedctl.Post) string {
	h := sha256.New()
	fmt.Fprintln(h, q.ID, q.Version)
	for i := range posts {
		fmt.Fprintln(h, posts[i].ID, posts[i].PublishAt.UnixMilli())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Reflow plans slots for up to [MaxMoves] displaced posts of a queue. posts are all
// posts of the queue in its order. Each displaced post gets the first free slot after
// the post before it, but not before its NotBefore. If that slot is behind
// posts that stay, the move names them. A post stays displaced if the queue has no slot for
// it.
func Reflow(r storage.Reader, q *schedctl.Queue, posts []schedctl.Post, now time.Time) ([]Move, error) {
	displaced := Displaced(q, posts)
	displaced = displaced[:min(MaxMoves, len(displaced))]
	accounts, err := accountsOf(r, q.WorkspaceID, displaced)
	if err != nil {
		return nil, err
	}
	plan := planFor(displaced)
	var moves []Move
	var before, after time.Time // the post before: its old time, and the latest new time so far
	for i := range posts {
		p := &posts[i]
		from := after
		if !from.IsZero() && !p.PublishAt.Equal(before) {
			from = from.Add(time.Millisecond)
		}
		before = p.PublishAt
		moved := false
		if plan.moves(p.ID) {
			search := Search{WorkspaceID: p.WorkspaceID, Accounts: accounts.of(p), PostID: p.ID, From: later(from, p.NotBefore), plan: plan}
			to, err := plan.place(r, q, p, search, now)
			if err != nil {
				return nil, err
			}
			if moved = to != nil; moved {
				moves = append(moves, Move{Post: *p, To: *to})
				after = to.At
			}
		}
		if !moved {
			after = later(after, p.PublishAt)
		}
	}
	nameOvertaken(moves, posts)
	return moves, nil
}

// nameOvertaken sets Behind of moves. posts are all posts of the queue in its order.
func nameOvertaken(moves []Move, posts []schedctl.Post) {
	moving := map[string]bool{}
	for i := range moves {
		moving[moves[i].Post.ID] = true
	}
	next := 0 // the first post that was behind the moved one
	for i := range moves {
		m := &moves[i]
		for next < len(posts) && !posts[next].PublishAt.After(m.Post.PublishAt) {
			next++
		}
		for j := next; j < len(posts) && posts[j].PublishAt.Before(m.To.At) && len(m.Behind) < maxBehind; j++ {
			if !moving[posts[j].ID] {
				m.Behind = append(m.Behind, posts[j].ID)
			}
		}
	}
}

// Order plans moves after which the given posts have their times in the given order.
// All of them have slots of the queue. It leaves out posts that keep their times.
// Errors: SLOT_TAKEN if a time is not free for the accounts of a post;
// VALIDATION_FAILED for a time before the NotBefore of a post.
func Order(r storage.Reader, q *schedctl.Queue, posts []schedctl.Post) ([]Move, error) {
	inOrder := slices.SortedFunc(slices.Values(posts), schedctl.CompareQueued)
	plan, held := planFor(posts), map[storage.OccupiedTime]bool{}
	var moves []Move
	for i := range posts {
		p, at := &posts[i], inOrder[i].PublishAt
		for _, id := range p.AccountIDs() {
			held[storage.OccupiedTime{At: p.PublishAt, AccountID: id}] = true
		}
		plan.add(p, at)
		if at.Equal(p.PublishAt) {
			continue
		}
		if at.Before(p.NotBefore) {
			return nil, schedctl.Errorf(schedctl.ValidationFailed, "post_ids", "%s must not be published before %s; move it to a later place",
				p.ID, p.NotBefore.UTC().Format(time.RFC3339))
		}
		moves = append(moves, Move{Post: *p, To: Taken{At: at, Booking: schedctl.Booking{QueueID: q.ID, Slot: inOrder[i].Slot, NotBefore: p.NotBefore}}})
	}
	accounts, err := accountsOf(r, q.WorkspaceID, posts)
	if err != nil {
		return nil, err
	}
	for i := range moves {
		m := &moves[i]
		// An account that had a post at this time before keeps its distances.
		added := slices.DeleteFunc(accounts.of(&m.Post), func(a schedctl.Account) bool {
			return held[storage.OccupiedTime{At: m.To.At, AccountID: a.ID}]
		})
		if err := IsFree(r, q, Search{WorkspaceID: q.WorkspaceID, Accounts: added, PostID: m.Post.ID, plan: plan}, m.To.At); err != nil {
			return nil, err
		}
	}
	return moves, nil
}

// Apply stores planned moves by an API key with their events. It must run in the transaction that
// planned them. Errors: SLOT_TAKEN; those of [schedctl.Post.Edit].
func Apply(tx storage.Tx, moves []Move, keyID string, now time.Time) error {
	for i := range moves {
		released := moves[i].Post.Clone()
		released.ReleaseSlot()
		if err := tx.PutPost(released); err != nil {
			return err
		}
	}
	for i := range moves {
		p, to := moves[i].Post.Clone(), &moves[i].To
		events, err := p.Edit(schedctl.Edit{PublishAt: to.At, Booking: to.Booking, BySeries: true}, now)
		if err != nil {
			return err
		}
		p.UpdatedBy = keyID
		if err := errors.Join(tx.PutPost(p), tx.AddEvents(events...)); err != nil {
			return err
		}
	}
	return nil
}

// accountList is a list of accounts in order of their ids.
type accountList []schedctl.Account

func accountsOf(r storage.Reader, workspaceID string, posts []schedctl.Post) (accountList, error) {
	var ids []string
	for i := range posts {
		ids = append(ids, posts[i].AccountIDs()...)
	}
	accounts, err := Accounts(r, workspaceID, ids)
	return accounts, err
}

// of returns the accounts of a post.
func (l accountList) of(p *schedctl.Post) (accounts []schedctl.Account) {
	ids := slices.Sorted(slices.Values(p.AccountIDs()))
	for _, id := range ids {
		if i, found := slices.BinarySearchFunc(l, id, func(a schedctl.Account, id string) int { return strings.Compare(a.ID, id) }); found {
			accounts = append(accounts, l[i])
		}
	}
	return accounts
}

// plan has the posts that a plan moves, and their new times.
type plan struct {
	leaving map[string]bool // posts whose stored times do not count
	coming  occupied
}

// planFor returns a plan that moves the posts.
func planFor(posts []schedctl.Post) *plan {
	p := &plan{leaving: map[string]bool{}}
	for i := range posts {
		p.leaving[posts[i].ID] = true
	}
	return p
}

// moves reports whether the stored time of the post does not count. A nil plan moves no
// post.
func (p *plan) moves(postID string) bool { return p != nil && p.leaving[postID] }

// add plans a time for a post.
func (p *plan) add(post *schedctl.Post, at time.Time) {
	for _, id := range post.AccountIDs() {
		p.coming = append(p.coming, storage.OccupiedTime{At: at, PostID: post.ID, AccountID: id})
	}
}

// addTo adds the planned times of the accounts to the stored ones, without those of one
// post.
func (p *plan) addTo(list occupied, accountIDs []string, postID string) occupied {
	if p == nil {
		return list
	}
	for _, o := range p.coming {
		if o.PostID != postID && slices.Contains(accountIDs, o.AccountID) {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b storage.OccupiedTime) int { return a.At.Compare(b.At) })
	return list
}

// place plans the first free slot for a post. Without a free slot, it returns nil, and the
// post keeps its time.
func (p *plan) place(r storage.Reader, q *schedctl.Queue, post *schedctl.Post, s Search, now time.Time) (*Taken, error) {
	err := CheckServes(r, q, post.AccountIDs())
	var slot schedctl.QueueSlot
	if err == nil {
		slot, err = Find(r, q, s, now)
	}
	switch schedctl.CodeOf(err) {
	case "":
		p.add(post, slot.At)
		return &Taken{At: slot.At, Booking: Booking(q, slot, post.NotBefore), Note: slot.Note}, nil
	case schedctl.QueueFull, schedctl.ValidationFailed:
		delete(p.leaving, post.ID)
		return nil, nil
	}
	return nil, err
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
