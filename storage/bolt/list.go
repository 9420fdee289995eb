package bolt

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/search"
)

// Posts implements [storage.Reader].
func (r *reader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	defer r.turn.end()
	l := listing{reader: r, query: q, needle: search.For(q.Search)}
	if err := l.plan(); err != nil {
		return storage.PostPage{}, err
	}
	if q.ExternalID != "" {
		err := l.visitExternalID()
		return l.page, err
	}
	for _, s := range l.spans {
		if complete, err := l.walk(s); complete || err != nil {
			return l.page, err
		}
	}
	return l.page, nil
}

// listing is the state of one query while it reads an index.
type listing struct {
	*reader
	query   storage.PostQuery
	needle  search.Needle
	index   bucket
	ws      ulid
	prefix  [32]byte // workspace and owner: account, collection, queue, series or API key
	codes   []byte   // of the selected statuses
	spans   []span   // the parts of the index to read
	descend bool
	looks   bool // posts must be read to see whether the query selects them

	skipped     int
	looked      int
	lookedBytes int      // of texts
	seen        position // of the last post that was read
	added       position // of the last post of the page
	page        storage.PostPage
	pageBytes   int
}

// plan chooses the index and the parts of it to read.
func (l *listing) plan() error {
	q := &l.query
	ws, err := parse(schedctl.WorkspacePrefix, q.WorkspaceID)
	if err != nil {
		return err
	}
	owner, err := listOwner(q)
	if err != nil {
		return err
	}
	l.ws = ws
	concat(l.prefix[:0], ws[:], owner[:])
	l.codes = codesOf(q)
	l.looks = q.ReadsPosts()
	switch q.Sort {
	case storage.PublishAscending, storage.PublishDescending:
		l.index, l.descend = postsByTime, q.Sort == storage.PublishDescending
		l.spans = l.timeSpans()
	default:
		l.index, l.descend = postsByAge, q.Sort != storage.OldestFirst
		l.spans = []span{{}}
		l.looks = l.looks || l.bounded()
	}
	return l.resume()
}

// listOwner returns the owner whose index entries a query uses: the account, or one that
// is likely to have fewer posts.
func listOwner(q *storage.PostQuery) (owner ulid, err error) {
	owner = anyAccount
	if q.AccountID != "" {
		if owner, err = parse(schedctl.AccountPrefix, q.AccountID); err != nil {
			return owner, err
		}
	}
	if q.Collection != "" {
		owner = collectionKey(q.Collection)
	}
	if q.QueueID != "" {
		if owner, err = parse(schedctl.QueuePrefix, q.QueueID); err != nil {
			return owner, err
		}
	}
	if q.SeriesID != "" {
		if owner, err = parse(schedctl.SeriesPrefix, q.SeriesID); err != nil {
			return owner, err
		}
	}
	if q.Approval != "" {
		owner = approvalKey(q.Approval)
	}
	if q.ByCreator() {
		return parse(schedctl.KeyPrefix, q.CreatedBy)
	}
	return owner, nil
}

func (l *listing) bounded() bool {
	return !l.query.PublishAfter.IsZero() || !l.query.PublishBefore.IsZero()
}

// codesOf returns the code in lists of each status once, those of all statuses without any.
// Only posts whose work is over can be archived. Drafts that propose a time are listed
// separately.
func codesOf(q *storage.PostQuery) (codes []byte) {
	for code, s := range statusCodes {
		if code == 0 || len(q.Statuses) > 0 && !slices.Contains(q.Statuses, s) || q.Proposed && s == schedctl.Draft {
			continue
		}
		if q.Archived.Selects(false) {
			codes = append(codes, byte(code))
		}
		if q.Archived.Selects(true) && schedctl.CheckOperation(schedctl.OpArchive, s) == nil {
			codes = append(codes, byte(code)|archivedBit)
		}
	}
	return codes
}

// timeSpans returns the parts of the index by time between the bounds of the query.
// Posts without a time sort after all others in it, so in descending order they are a
// separate part.
func (l *listing) timeSpans() []span {
	if !l.bounded() && !l.descend {
		return []span{{}}
	}
	timed := span{to: appendTime(nil, noTime)}
	if at := l.query.PublishAfter; !at.IsZero() {
		timed.from = appendTime(nil, publishKey(schedctl.Millis(at)))
	}
	if at := l.query.PublishBefore; !at.IsZero() {
		timed.to = appendTime(nil, publishKey(schedctl.Millis(at)))
	}
	if l.bounded() {
		return []span{timed}
	}
	return []span{timed, {from: timed.to}}
}

// resume removes everything before the position of the query from the spans.
func (l *listing) resume() error {
	if l.query.After == nil {
		return nil
	}
	post, err := parse(schedctl.PostPrefix, l.query.After.PostID)
	if err != nil {
		return err
	}
	at := position{time: publishKey(l.query.After.PublishAt), post: post}
	switch {
	case !l.descend:
		l.spans[0].startAfter(at.suffix(l.index))
		return nil
	case l.index == postsByTime && at.time == noTime:
		l.spans = l.spans[1:]
	}
	if len(l.spans) > 0 {
		l.spans[0].endBefore(at.suffix(l.index))
	}
	return nil
}

// walk reads one part of the index and reports whether the page is complete.
func (l *listing) walk(s span) (complete bool, err error) {
	m := newMerge(l, s)
	for suffix := m.next(); suffix != nil; suffix = m.next() {
		at, err := readPosition(suffix, l.index)
		if err != nil {
			return false, err
		}
		if complete, err := l.visit(at); complete || err != nil {
			return complete, err
		}
	}
	return false, nil
}

// visit adds the post at a position of the index if it is selected, and reports
// whether the page is complete.
func (l *listing) visit(at position) (complete bool, err error) {
	if l.looks {
		if l.looked == storage.ScanLimit || l.lookedBytes >= storage.ScanBytes {
			l.page.Next = l.seen.public(l.index)
			return true, nil
		}
		if selected, err := l.look(at); err != nil || !selected {
			return false, err
		}
	}
	if l.skipped < l.query.Offset {
		return false, l.skip()
	}
	if len(l.page.Posts) == l.query.Limit || l.pageBytes >= storage.PageBytes {
		l.page.Next = l.added.public(l.index)
		return true, nil
	}
	post, found, err := l.post(at.post)
	if err != nil || !found {
		return false, l.orMissing(at, err)
	}
	l.page.Posts, l.added = append(l.page.Posts, post), at
	l.pageBytes += storage.TextBytes(&post)
	return false, nil
}

// look reports whether the post at a position is selected.
func (l *listing) look(at position) (bool, error) {
	if err := l.turn.next(l.ctx); err != nil {
		return false, err
	}
	read := l.postHead
	if l.filtersAccounts() {
		read = l.post
	}
	head, found, err := read(at.post)
	if err != nil || !found {
		return false, l.orMissing(at, err)
	}
	l.looked, l.lookedBytes, l.seen = l.looked+1, l.lookedBytes+head.TextSize(), at
	return l.selects(&head), nil
}

// skipsAtOnce is the number of posts to skip between two checks of the context.
const skipsAtOnce = 256

func (l *listing) skip() error {
	if l.skipped++; l.skipped%skipsAtOnce == 0 {
		return l.turn.next(l.ctx)
	}
	return nil
}

// orMissing returns err. If err is nil, it returns an error that the post of this index
// entry is missing.
func (l *listing) orMissing(at position, err error) error {
	if err == nil {
		err = fmt.Errorf("%q names post %s: %w: there is no such post", l.index, at.post.ID(schedctl.PostPrefix), storage.ErrCorrupt)
	}
	return err
}

// selects reports whether the query selects a post of the index. p needs targets only if
// [listing.filtersAccounts] returns true.
func (l *listing) selects(p *schedctl.Post) bool {
	return inside(l.query.TimeOf(p), l.query.PublishAfter, l.query.PublishBefore) && p.HasLabels(l.query.Labels) &&
		(!l.filtersAccounts() || slices.Contains(p.AccountIDs(), l.query.AccountID)) && l.isIn(p) && p.ContainsText(l.needle.In)
}

// filtersAccounts reports whether the query has an account and uses index entries of another
// owner.
func (l *listing) filtersAccounts() bool {
	q := &l.query
	return q.AccountID != "" && (q.Proposed || q.Collection != "" || q.QueueID != "" || q.SeriesID != "" || q.Approval != "")
}

// isIn reports whether a post has the collection, the queue, the series, the approval and
// the author of the query.
func (l *listing) isIn(p *schedctl.Post) bool {
	q := &l.query
	return (q.Collection == "" || p.Managed != nil && p.Managed.Collection == q.Collection) &&
		(q.QueueID == "" || p.QueueID == q.QueueID) && (q.SeriesID == "" || p.SeriesID == q.SeriesID) &&
		(q.Approval == "" || p.Approval != nil && p.Approval.State == q.Approval) &&
		(q.CreatedBy == "" || p.CreatedBy == q.CreatedBy)
}

func inside(t, after, before time.Time) bool {
	if t.IsZero() {
		return after.IsZero() && before.IsZero()
	}
	return !t.Before(after) && (before.IsZero() || t.Before(before))
}
