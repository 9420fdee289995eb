package storage

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Sort is an order of posts. Ties are in order of id, ascending or descending
// as the sort; posts without a time come last in both directions.
type Sort string

// The sorts.
const (
	NewestFirst       Sort = "-created_at"
	OldestFirst       Sort = "created_at"
	PublishAscending  Sort = "publish_at"
	PublishDescending Sort = "-publish_at"
)

// Limits of one page. A page that meets one of them is short, or even empty, and
// still has a Next.
const (
	// ScanLimit is how many records a page reads at most to find those that no
	// index can find.
	ScanLimit = 2_000

	// ScanBytes limits the texts that a page reads for that: it reads no more
	// posts once their contents have as many bytes together.
	ScanBytes = 1 << 20

	// PageBytes limits the texts of a page: it gets no more posts once their
	// TextBytes reach it together.
	PageBytes = 1 << 20
)

// TextBytes returns how many bytes the texts of a post have that its author
// wrote: its content and those of its targets.
func TextBytes(p *schedctl.Post) int {
	n := len(p.Content)
	for i := range p.Targets {
		n += len(p.Targets[i].Content)
	}
	return n
}

// PostQuery selects a page of posts. Zero fields select everything.
type PostQuery struct {
	WorkspaceID   string
	Statuses      []schedctl.Status // any of these
	AccountID     string            // with a target on this account
	PublishAfter  time.Time         // inclusive
	PublishBefore time.Time         // exclusive
	Search        string            // substring of the content, case folded
	ExternalID    string            // the one post that has it
	Collection    string            // managed in this collection
	Labels        []string          // with all of these
	Sort          Sort              // NewestFirst when empty
	Limit         int               // 1 or more
	Offset        int               // posts to skip after the cursor
	After         *Position         // begin behind this position, or nil
}

// Scans reports whether a page reads many more records than it has.
func (q *PostQuery) Scans() bool {
	byTime := q.Sort == PublishAscending || q.Sort == PublishDescending
	bounded := !q.PublishAfter.IsZero() || !q.PublishBefore.IsZero()
	return q.ReadsPosts() || bounded && !byTime || q.Offset > ScanLimit
}

// ReadsPosts reports whether the posts themselves have to be read to know which are
// selected, under every sort.
func (q *PostQuery) ReadsPosts() bool {
	return q.Search != "" || len(q.Labels) > 0 || q.Collection != "" && q.AccountID != ""
}

// ExternalIDExists returns the error with code EXTERNAL_ID_EXISTS that names the
// post that has the external id.
func ExternalIDExists(postID string) *schedctl.Error {
	err := schedctl.Errorf(schedctl.ExternalIDExists, "external_id", "another post has this external_id; read that post, or give another external_id")
	err.Details = []schedctl.FieldError{{Field: "external_id", Code: schedctl.ExternalIDExists, Message: postID}}
	return err
}

// Position is a place between two posts of a sorted list; it stays valid when
// posts are added, changed or removed.
type Position struct {
	PublishAt time.Time // for the sorts by publish time; zero for a post without one
	PostID    string
}

// PostPage is one page. Next is nil at the end of the list.
type PostPage struct {
	Posts []schedctl.Post
	Next  *Position
}

// ContentQuery selects posts that bring an account the same content.
type ContentQuery struct {
	AccountID   string
	Fingerprint schedctl.Fingerprint
	From, Until time.Time // by the time of the post: from inclusive, until exclusive
	Limit       int       // 1 or more
}

// PlatformPost is a post as its network knows it.
type PlatformPost struct {
	Owner schedctl.Identity
	ID    string
}

// Route is the way from a target to its post and its account.
type Route struct {
	WorkspaceID, PostID, AccountID string
}

// PublishedTarget is a publication in an account's history.
type PublishedTarget struct {
	At          time.Time
	TargetID    string
	WorkspaceID string
	PostID      string
}

// IdempotencyScope identifies a request that may be repeated.
type IdempotencyScope struct {
	WorkspaceID    string
	Method, Path   string
	IdempotencyKey string
}

// IdempotencyRecord is what a request was answered with. It is kept in the transaction
// that had the effect.
type IdempotencyRecord struct {
	Fingerprint [32]byte // of the raw request body, and of the API key that sent it
	Status      int
	Header      map[string]string
	Body        []byte
	Sealed      bool // Body carries a secret and is sealed
	CreatedAt   time.Time
}
