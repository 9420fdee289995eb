package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/search"
)

// Posts implements [storage.Reader]. In a transaction it prevents others from writing
// posts of the series, the queue or the account, or any post when the query names none.
func (r *reader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	l := listing{reader: r, query: q, needle: search.For(q.Search)}
	if err := l.plan(); err != nil {
		return storage.PostPage{}, err
	}
	switch {
	case l.series.Valid:
		r.lockList("posts", l.series)
	case l.queue.Valid:
		r.lockList("posts", l.queue)
	case l.byAccount():
		r.lockList("targets", l.account)
	default:
		r.lockTable("posts")
	}
	for _, s := range l.spans {
		if complete, err := l.walk(s); complete || err != nil {
			return l.page, err
		}
	}
	return l.page, nil
}

// listing is one query while it walks an index. The indexes start with the status, so
// that a page of any set of statuses is a merge of a few ordered lists.
type listing struct {
	*reader
	query    storage.PostQuery
	needle   search.Needle
	ws       pgtype.UUID
	account  pgtype.UUID
	queue    pgtype.UUID
	series   pgtype.UUID
	creator  pgtype.UUID
	statuses []string
	byTime   bool
	descend  bool
	spans    []indexSpan // parts of the index to walk
	filters  bool        // the index alone does not decide which posts match

	skipped      int
	scanned      int
	scannedBytes int          // bytes of content
	lastScanned  listPosition // last post that was scanned
	lastAdded    listPosition // last post of the page
	page         storage.PostPage
	pageBytes    int
}

// indexSpan is a part of an index: times in [from, to), and the position that it starts
// after.
type indexSpan struct {
	from, to pgtype.Timestamptz // null for unbounded
	timeless bool               // only posts without a time
	after    *listPosition
}

// listPosition is a position in an index.
type listPosition struct {
	at   pgtype.Timestamptz // in the index by time; the end of time for a post without a time
	post pgtype.UUID
}

func (p listPosition) public(byTime bool) *storage.Position {
	out := &storage.Position{PostID: schedctl.ULID(p.post.Bytes).ID(schedctl.PostPrefix)}
	if byTime && p.at.InfinityModifier == pgtype.Finite {
		out.PublishAt = p.at.Time.UTC()
	}
	return out
}

// plan chooses the index and the parts of it to walk.
func (l *listing) plan() (err error) {
	q := &l.query
	if l.ws, err = parse(schedctl.WorkspacePrefix, q.WorkspaceID); err != nil {
		return err
	}
	if q.AccountID != "" {
		if l.account, err = parse(schedctl.AccountPrefix, q.AccountID); err != nil {
			return err
		}
	}
	if q.QueueID != "" {
		if l.queue, err = parse(schedctl.QueuePrefix, q.QueueID); err != nil {
			return err
		}
	}
	if q.SeriesID != "" {
		if l.series, err = parse(schedctl.SeriesPrefix, q.SeriesID); err != nil {
			return err
		}
	}
	if q.CreatedBy != "" {
		if l.creator, err = parse(schedctl.KeyPrefix, q.CreatedBy); err != nil {
			return err
		}
	}
	if l.statuses = listStatuses(q.Statuses, q.Archived); q.Proposed {
		l.statuses = slices.DeleteFunc(l.statuses, func(s string) bool { return s == string(schedctl.Draft) })
	}
	l.filters = q.ReadsPosts() || q.ExternalID != "" && q.AccountID != ""
	switch q.Sort {
	case storage.PublishAscending, storage.PublishDescending:
		l.byTime, l.descend = true, q.Sort == storage.PublishDescending
		l.spans = l.timeSpans()
	default:
		l.descend = q.Sort != storage.OldestFirst
		l.spans = []indexSpan{{}}
		l.filters = l.filters || l.bounded()
	}
	return l.resume()
}

// byAccount reports whether the query uses the index of an account. The indexes by
// collection, external id, queue, series and approval select fewer posts.
func (l *listing) byAccount() bool {
	return l.account.Valid && l.query.Collection == "" && l.query.ExternalID == "" && !l.queue.Valid && !l.series.Valid && l.query.Approval == ""
}

func (l *listing) bounded() bool {
	return !l.query.PublishAfter.IsZero() || !l.query.PublishBefore.IsZero()
}

// timeSpans returns the parts of the index by time between the query's bounds. Posts
// without a time sort last in the index, so that they form their own part in descending
// order.
func (l *listing) timeSpans() []indexSpan {
	if !l.bounded() {
		if l.descend {
			return []indexSpan{{to: endOfTime()}, {timeless: true}}
		}
		return []indexSpan{{}}
	}
	timed := indexSpan{to: endOfTime()}
	if at := l.query.PublishAfter; !at.IsZero() {
		timed.from = stamp(schedctl.Millis(at))
	}
	if at := l.query.PublishBefore; !at.IsZero() {
		timed.to = stamp(schedctl.Millis(at))
	}
	return []indexSpan{timed}
}

// resume skips everything before the query's position.
func (l *listing) resume() error {
	if l.query.After == nil {
		return nil
	}
	post, err := parse(schedctl.PostPrefix, l.query.After.PostID)
	if err != nil {
		return err
	}
	after := listPosition{at: stampOrEnd(l.query.After.PublishAt), post: post}
	if l.byTime && l.descend && after.at.InfinityModifier == pgtype.Infinity && len(l.spans) == 2 {
		l.spans = l.spans[1:]
	}
	l.spans[0].after = &after
	return nil
}

// firstScan and maxScan are how many positions one round trip reads. The first one
// reads as many as complete a page when all posts match. A query that must filter posts
// reads more each time.
const (
	firstScan = 100
	maxScan   = 400
)

// fetchBatch is how many posts of a page are read at once. A post may have a megabyte
// of text, and a page ends after [storage.PageBytes].
const fetchBatch = 20

// walk walks one part of the index and reports whether the page is complete.
func (l *listing) walk(s indexSpan) (complete bool, err error) {
	batch := l.query.Offset - l.skipped + l.query.Limit - len(l.page.Posts) + 1
	if l.filters {
		batch = firstScan
	}
	for ; ; batch = min(2*batch, maxScan) {
		places, err := l.positions(s, batch)
		if err != nil {
			return false, err
		}
		selected, exhausted := places, false
		if l.filters {
			if selected, exhausted, err = l.scan(places); err != nil {
				return false, err
			}
		}
		if complete, err := l.addAll(selected); complete || err != nil {
			return complete, err
		}
		if exhausted {
			l.page.Next = l.lastScanned.public(l.byTime)
			return true, nil
		}
		if len(places) < batch {
			return false, nil
		}
		s.after = &places[len(places)-1]
	}
}

// addAll adds the posts at positions to the page, except those to be skipped. It
// reports whether the page is complete.
func (l *listing) addAll(places []listPosition) (complete bool, err error) {
	skip := min(l.query.Offset-l.skipped, len(places))
	l.skipped += skip
	for places = places[skip:]; len(places) > 0; {
		if len(l.page.Posts) == l.query.Limit || l.pageBytes >= storage.PageBytes {
			l.page.Next = l.lastAdded.public(l.byTime)
			return true, nil
		}
		n := min(len(places), l.query.Limit-len(l.page.Posts), fetchBatch)
		found, err := l.fetch(places[:n])
		if err != nil {
			return false, err
		}
		for ; n > 0 && l.pageBytes < storage.PageBytes; n, places = n-1, places[1:] {
			if post, there := found[places[0].post]; there {
				l.page.Posts, l.lastAdded = append(l.page.Posts, post), places[0]
				l.pageBytes += storage.TextBytes(&post)
			}
		}
	}
	return false, nil
}

// fetch returns the posts at the given positions, by id.
func (l *listing) fetch(places []listPosition) (map[pgtype.UUID]schedctl.Post, error) {
	list, err := l.postsByID(postsAt(places))
	found := make(map[pgtype.UUID]schedctl.Post, len(list))
	for i := range list {
		if u, ok := schedctl.ParseID(schedctl.PostPrefix, list[i].ID); ok {
			found[pgtype.UUID{Bytes: u, Valid: true}] = list[i]
		}
	}
	return found, err
}
