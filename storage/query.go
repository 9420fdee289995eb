package storage

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Sort is an order of posts. Posts with the same time are sorted by id in the same
// direction. Posts without a time come last in both directions.
type Sort string

// The sorts.
const (
	NewestFirst       Sort = "-created_at"
	OldestFirst       Sort = "created_at"
	PublishAscending  Sort = "publish_at"
	PublishDescending Sort = "-publish_at"
)

// Limits of one page. A page that reaches one of them is short, or empty, and still
// has a Next.
const (
	// ScanLimit is the maximum number of records that are read for a page if the query
	// has no index.
	ScanLimit = 2_000

	// ScanBytes is the total length of contents, in bytes, after which such a scan
	// ends.
	ScanBytes = 1 << 20

	// PageBytes is the sum of TextBytes after which a page ends.
	PageBytes = 1 << 20
)

// TextBytes returns the length in bytes of the contents of a post and of its targets,
// with the alt texts of their media and the notes.
func TextBytes(p *schedctl.Post) int {
	n := p.TextSize() + altTextBytes(p.Media)
	for i := range p.Thread {
		n += altTextBytes(p.Thread[i].Media)
	}
	if p.FirstComment != nil {
		n += altTextBytes(p.FirstComment.Media)
	}
	n += len(p.Decided)
	for i := range p.Notes {
		n += len(p.Notes[i].Text)
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		n += len(t.Text) + altTextBytes(t.Media)
		for j := range t.Thread {
			n += len(t.Thread[j].Content) + altTextBytes(t.Thread[j].Media)
		}
	}
	return n
}

// RecordBytes returns about how many bytes the record of a post has, with all its targets.
// It is for limits of how much is read.
func RecordBytes(p *schedctl.Post) int {
	const target, part = 400, 200
	n := TextBytes(p)
	for i := range p.Targets {
		t := &p.Targets[i]
		n += target + len(t.PlatformPostURL) + part*len(t.Done)
	}
	return n
}

func altTextBytes(media []schedctl.PostMedia) (n int) {
	for i := range media {
		n += len(media[i].AltText)
	}
	return n
}

// PostQuery selects a page of posts. Fields that are zero do not restrict it.
type PostQuery struct {
	WorkspaceID   string
	Statuses      []schedctl.Status      // any of these
	AccountID     string                 // with a target on this account
	PublishAfter  time.Time              // inclusive
	PublishBefore time.Time              // exclusive
	Search        string                 // substring of the text of a part, ignoring case
	ExternalID    string                 // the post that has it
	Collection    string                 // managed in this collection
	QueueID       string                 // with a slot of this queue
	SeriesID      string                 // occurrences of this series
	Approval      schedctl.ApprovalState // drafts have their proposed times then; see TimeOf
	CreatedBy     string                 // made by this API key
	Proposed      bool                   // of drafts only the proposals, whatever the statuses; see TimeOf
	Archived      Archived
	Labels        []string  // with all of these
	Sort          Sort      // NewestFirst when empty
	Limit         int       // 1 or more
	Offset        int       // posts to skip after the cursor
	After         *Position // start after this position; nil for the first page
}

// TimeOf returns the time of a post by which the query selects and sorts. By approval, and
// with Proposed, a draft has the proposed one. A query with Proposed sorts by publish time,
// and selects by no other field than statuses, account and time.
func (q *PostQuery) TimeOf(p *schedctl.Post) time.Time {
	if q.Approval != "" || q.Proposed && p.IsProposal() {
		return p.PlannedAt()
	}
	return p.PublishAt
}

// Archived says which posts a query selects by whether they were put away.
type Archived string

// The values. Empty selects all posts.
const (
	NotArchived  Archived = "no"
	OnlyArchived Archived = "only"
)

// Selects reports whether the value selects posts that are, or are not, archived.
func (a Archived) Selects(archived bool) bool { return a == "" || archived == (a == OnlyArchived) }

// Scans reports whether many more records may be read than the page returns.
func (q *PostQuery) Scans() bool {
	byTime := q.Sort == PublishAscending || q.Sort == PublishDescending
	bounded := !q.PublishAfter.IsZero() || !q.PublishBefore.IsZero()
	return q.ReadsPosts() || bounded && !byTime || q.Offset > ScanLimit
}

// ReadsPosts reports whether no index can tell which posts are selected, so that the
// records of posts have to be read.
func (q *PostQuery) ReadsPosts() bool {
	indexed := 0 // only one of these selects by an index
	for _, id := range []string{q.AccountID, q.Collection, q.QueueID, q.SeriesID, string(q.Approval)} {
		if id != "" {
			indexed++
		}
	}
	return q.Search != "" || len(q.Labels) > 0 || indexed > 1 || q.Proposed && q.AccountID != "" || q.CreatedBy != "" && !q.ByCreator()
}

// ByCreator reports whether the query reads the index of the posts of an API key, which is
// sorted by creation.
func (q *PostQuery) ByCreator() bool {
	byTime := q.Sort == PublishAscending || q.Sort == PublishDescending
	return q.CreatedBy != "" && !byTime && q.ExternalID == "" && q.AccountID == "" && q.Collection == "" && q.QueueID == "" && q.SeriesID == "" && q.Approval == ""
}

// ExternalIDExists returns an error with code EXTERNAL_ID_EXISTS, whose details have
// the id of the post that has the external id.
func ExternalIDExists(postID string) *schedctl.Error {
	err := schedctl.Errorf(schedctl.ExternalIDExists, "external_id", "another post has this external_id; read that post, or give another external_id")
	err.Details = []schedctl.FieldError{{Field: "external_id", Code: schedctl.ExternalIDExists, Message: postID}}
	return err
}

// SlotTaken returns an error with code SLOT_TAKEN: another post holds the slot of an
// account.
func SlotTaken(accountID string, at time.Time) *schedctl.Error {
	return schedctl.Errorf(schedctl.SlotTaken, "publish_at", "another post for %s has the slot at %s; take the next one with publish_at: next-slot (--next-slot)",
		accountID, at.UTC().Format(time.RFC3339))
}

// Position is a position in a sorted list of posts. It stays valid when posts are
// added, changed or deleted.
type Position struct {
	PublishAt time.Time // for the sorts by publish time; zero for a post without one
	PostID    string
}

// PostPage is a page of posts. Next is nil at the end of the list.
type PostPage struct {
	Posts []schedctl.Post
	Next  *Position
}

// OccupiedQuery selects live targets of accounts by the publish time of their posts.
type OccupiedQuery struct {
	WorkspaceID string
	AccountIDs  []string
	From, Until time.Time // from inclusive, until exclusive
	Limit       int       // 1 or more
}

// OccupiedTime is the publish time of a post with a live target.
type OccupiedTime struct {
	At        time.Time
	PostID    string
	AccountID string
}

// ContentQuery selects posts that have the same content on an account.
type ContentQuery struct {
	AccountID   string
	Fingerprint schedctl.Fingerprint
	From, Until time.Time // by the time of the post: from inclusive, until exclusive
	Limit       int       // 1 or more
}

// PlatformPost identifies a post on its network.
type PlatformPost struct {
	Owner schedctl.Identity
	ID    string
}

// Route leads from a target to its workspace, post and account.
type Route struct {
	WorkspaceID, PostID, AccountID string
}

// PublishedTarget is an entry in the publication history of an account.
type PublishedTarget struct {
	At          time.Time
	TargetID    string
	WorkspaceID string
	PostID      string
}

// IdempotencyScope identifies a request for idempotency. Requests with the same scope
// are the same request.
type IdempotencyScope struct {
	WorkspaceID    string
	Method, Path   string
	IdempotencyKey string
}

// IdempotencyRecord is the response to a request. It is stored in the transaction of
// the request's changes.
type IdempotencyRecord struct {
	Fingerprint [32]byte // of the raw request body and the API key
	Status      int
	Header      map[string]string
	Body        []byte
	Sealed      bool // Body has a secret and is encrypted
	CreatedAt   time.Time
}

// SourceItemQuery selects items of a source.
type SourceItemQuery struct {
	WorkspaceID, SourceID string
	State                 schedctl.ItemState // empty for all
	AfterID               string             // the last item of the page before; empty for the newest
	Limit                 int
}
