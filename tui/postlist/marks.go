package postlist

import (
	"slices"

	"github.com/schedctl/schedctl/client/apiv1"
)

// MaxMarks is the maximum number of posts that are changed together.
const MaxMarks = 500

// Marks is the posts that the next action changes together. They stay marked in all views.
type Marks struct {
	Posts map[string]apiv1.Post // as they were when they were marked, by id
	Order []string              // ids in the order in which they were marked

	Span MarkRange
}

// MarkRange is the posts between the first one of a range and the selection.
type MarkRange struct {
	From   string   // the id of the first post; empty without a range
	Before []string // the ids that were marked before the range
	Known  map[string]apiv1.Post
}

// Has reports whether a post is marked.
func (k *Marks) Has(id string) bool { _, ok := k.Posts[id]; return ok }

// Set marks posts besides the marked ones, as far as there is space. It reports whether all
// are marked.
func (k *Marks) Set(list ...apiv1.Post) bool {
	if k.Posts == nil {
		k.Posts = map[string]apiv1.Post{}
	}
	for _, p := range list {
		switch {
		case k.Has(p.ID):
		case len(k.Order) == MaxMarks:
			return false
		default:
			k.Order = append(k.Order, p.ID)
		}
		k.Posts[p.ID] = p
	}
	return true
}

// Drop ends the mark of a post, and the range, which would mark it again.
func (k *Marks) Drop(id string) {
	k.Span = MarkRange{}
	delete(k.Posts, id)
	k.Order = slices.DeleteFunc(k.Order, func(other string) bool { return other == id })
}

// Clear ends all marks.
func (k *Marks) Clear() { *k = Marks{} }
