package usecase

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// AnalyticsPost returns the results of the post of a request in the form that the client of the
// original service reads. Errors: NOT_FOUND.
func (s *Service) AnalyticsPost(r storage.Reader, c *Request) (apiv1.AnalyticsPost, error) {
	p, list, err := s.publishedOfPost(r, c)
	if err != nil {
		return apiv1.AnalyticsPost{}, err
	}
	sum := totalsOf(list)
	start, err := preview(r, &p, p.Text, p.Media)
	if err != nil {
		return apiv1.AnalyticsPost{}, err
	}
	found := apiv1.AnalyticsPost{
		PostID: p.ID,
		Post:   apiv1.AnalyticsPostHead{ID: p.ID, Preview: start, Status: p.Status(), PublishedTargets: len(list)},
		Totals: apiv1.AnalyticsTotals{
			Views: value(sum.Views), Clicks: value(sum.Clicks), Engagements: value(sum.Engagements), EngagementRate: sum.EngagementRate, Known: sum.Known,
		},
	}
	if p.Title != "" {
		found.Post.Title = &p.Title
	}
	found.Targets, err = s.analyticsRows(r, list, c.Now)
	return found, err
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (s *Service) analyticsRows(r storage.Reader, list []resultsOf, now time.Time) ([]apiv1.AnalyticsRow, error) {
	rows := make([]apiv1.AnalyticsRow, len(list))
	for i := range list {
		var err error
		if rows[i], err = s.analyticsRow(r, &list[i], now); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (s *Service) analyticsRow(r storage.Reader, of *resultsOf, now time.Time) (apiv1.AnalyticsRow, error) {
	p, t, v, state := of.post, of.target, &of.results, s.resultsState(of, now)
	start, err := preview(r, p, p.ContentFor(t), p.MediaFor(t))
	if err != nil {
		return apiv1.AnalyticsRow{}, err
	}
	m := v.Known()
	row := apiv1.AnalyticsRow{
		PostID: p.ID, PostTargetID: t.ID, SocialAccountID: t.AccountID, Platform: t.Platform, PlatformPostID: orNil(t.PlatformPostID), PlatformURL: orNil(t.PlatformPostURL),
		Preview: start, PublishedAt: apiv1.NewTime(t.PublishedAt),
		AnalyticsStatus: state.status, StatusLabel: state.label, Reason: state.wireReason(), LastRefreshAt: apiv1.NewTime(v.ReadAt), NextRefreshAt: apiv1.NewTime(v.NextAt),
		Views: m.Views, Clicks: m.Clicks, Engagements: m.Engagements(), EngagementRate: m.EngagementRate(), Trend: trend(v, now),
		Reactions: m.Reactions, Reposts: m.Reposts, Quotes: m.Quotes, Replies: m.Replies, Reach: m.Reach, Saves: m.Saves, RemovedAt: apiv1.NewTime(v.RemovedAt),
		Growth: growth(v), Estimated: v.Estimated,
	}
	if of.account != nil {
		row.AccountLabel = of.account.Name
	}
	return row, nil
}

// growth returns the engagements of the readings that have any.
func growth(v *schedctl.Results) []int64 {
	list := []int64{}
	for i := range v.Points {
		if n := v.Points[i].Metrics.Engagements(); n != nil {
			list = append(list, *n)
		}
	}
	return list
}

// trend returns the engagements of the last 24 hours divided by those of the 24 hours before,
// minus 1, or nil if that is not known.
func trend(v *schedctl.Results, now time.Time) *float64 {
	const day = 24 * time.Hour
	g := newGains(v, engagementsOf)
	before := g.between(now.Add(-2*day), now.Add(-day))
	if !g.known() || before == 0 {
		return nil
	}
	return new(math.Round((g.between(now.Add(-day), now)/before-1)*1e4) / 1e4)
}

// Page is a part of a list.
type Page struct{ Limit, Offset int }

// The limits of the gains of a workspace.
const (
	sparkDays = 14
	topDays   = 7

	// gainAge is the age from which a target cannot have gained anything in the last 14 days:
	// the age of its last reading, and the 14 days.
	gainAge = 50 * 24 * time.Hour

	// maxTotal is how many targets are counted, unless the page is after them.
	maxTotal = 10_000
)

// AnalyticsWorkspace returns the gains of the workspace of a request, and a page of its published
// targets, in the form that the client of the original service reads. A key that is limited to
// accounts gets the gains of the latest [storage.ScanLimit] targets that it may see.
func (s *Service) AnalyticsWorkspace(ctx context.Context, r storage.Reader, c *Request, page Page) (apiv1.AnalyticsWorkspace, error) {
	ws, err := r.Workspace(c.Key.WorkspaceID)
	if err != nil {
		return apiv1.AnalyticsWorkspace{}, err
	}
	w := workspaceResults{service: s, r: r, c: c, ctx: ctx, page: page}
	if err := w.read(); err != nil {
		return apiv1.AnalyticsWorkspace{}, err
	}
	zone := zoneOf(ws.Timezone)
	found := apiv1.AnalyticsWorkspace{
		Workspace: apiv1.AnalyticsPlace{ID: ws.ID, Timezone: ws.Timezone}, Metrics: w.gains(), Sparkline: w.sparkline(zone),
		Count: len(w.rows), Total: w.total, Limit: page.Limit, Offset: page.Offset,
	}
	if found.Posts, err = s.analyticsRows(r, w.rows, c.Now); err != nil {
		return found, err
	}
	found.TopPost, err = w.top()
	return found, err
}

func zoneOf(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}

// workspaceResults reads the results of a workspace.
type workspaceResults struct {
	service  *Service
	r        storage.Reader
	c        *Request
	ctx      context.Context //nolint:containedctx // of one call
	page     Page
	accounts map[string]*schedctl.Account
	rows     []resultsOf
	total    int                // published targets, at most maxTotal of them
	recent   []schedctl.Results // of the last days; of a limited key, all that could have gained something lately
	cut      bool               // there are more of them
	hours    schedctl.GainHours
}

// read reads the rows of the page, and the results of the latest targets.
func (w *workspaceResults) read() (err error) {
	if w.accounts, err = accountsByID(w.r, w.c); err != nil {
		return err
	}
	list := newPublishedList(w.r, w.c, w.accounts)
	var recent []string
	var shown []storage.PublishedTarget
	age := time.Duration(topDays) * 24 * time.Hour
	if w.c.Limited() {
		age = gainAge
	}
	for n := 0; ; n++ {
		p, err := list.next()
		if err != nil {
			return err
		}
		if n%1000 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		young := p != nil && w.c.Now.Sub(p.At) < age
		if p == nil || n >= w.page.Offset+w.page.Limit && (!young || w.cut) && n >= maxTotal {
			break
		}
		w.total = n + 1
		if young && len(recent) < storage.ScanLimit {
			recent = append(recent, p.TargetID)
		} else if young {
			w.cut = true
		}
		if n >= w.page.Offset && n < w.page.Offset+w.page.Limit {
			shown = append(shown, *p)
		}
	}
	for _, p := range shown {
		if err := w.addRow(p); err != nil {
			return err
		}
	}
	if err := w.readRecent(recent); err != nil {
		return err
	}
	return w.readHours()
}

func (w *workspaceResults) addRow(p storage.PublishedTarget) error {
	post, err := w.r.Post(p.WorkspaceID, p.PostID)
	if err != nil {
		return err
	}
	if !w.c.MaySee(&post) {
		return nil
	}
	list, err := publishedOf(w.r, w.c, &post, w.accounts)
	for i := range list {
		if list[i].target.ID == p.TargetID {
			w.rows = append(w.rows, list[i])
		}
	}
	return err
}

// readRecent reads the results of the latest targets, without those of posts that the key may
// not see.
func (w *workspaceResults) readRecent(ids []string) error {
	known, err := resultsByTarget(w.r, w.c.Key.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		v, ok := known[id]
		if !ok {
			continue
		}
		if w.c.Limited() {
			if _, err := w.c.PostByID(w.r, v.PostID); schedctl.CodeOf(err) == schedctl.NotFound {
				continue
			} else if err != nil {
				return err
			}
		}
		w.recent = append(w.recent, v)
	}
	return nil
}

// top returns the row with the most engagements of those published lately, or nil.
func (w *workspaceResults) top() (*apiv1.AnalyticsRow, error) {
	var best *schedctl.Results
	views := func(v *schedctl.Results) int64 { return value(v.Latest.Views) }
	for i := range w.recent { // the latest first
		v := &w.recent[i]
		n := value(v.Latest.Engagements())
		if n <= 0 || !v.RemovedAt.IsZero() || w.c.Now.Sub(v.PublishedAt) > topDays*24*time.Hour {
			continue
		}
		if best == nil || n > value(best.Latest.Engagements()) || n == value(best.Latest.Engagements()) && views(v) > views(best) {
			best = v
		}
	}
	if best == nil {
		return nil, nil
	}
	rows := w.rows
	w.rows = nil
	err := w.addRow(storage.PublishedTarget{TargetID: best.TargetID, WorkspaceID: best.WorkspaceID, PostID: best.PostID})
	found := w.rows
	w.rows = rows
	if err != nil || len(found) == 0 {
		return nil, err
	}
	row, err := w.service.analyticsRow(w.r, &found[0], w.c.Now)
	return &row, err
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// publishedList merges the publications of the accounts of a request, the newest first.
type publishedList struct {
	r     storage.Reader
	heads []publishedHead
}

type publishedHead struct {
	accountID string
	page      []storage.PublishedTarget
	last      storage.PublishedTarget
	ended     bool
}

func newPublishedList(r storage.Reader, c *Request, accounts map[string]*schedctl.Account) *publishedList {
	l := &publishedList{r: r}
	for id := range accounts {
		if c.MayUse(id) {
			l.heads = append(l.heads, publishedHead{accountID: id})
		}
	}
	return l
}

// startBefore leaves out a publication and all after it.
func (l *publishedList) startBefore(p storage.PublishedTarget) {
	for i := range l.heads {
		l.heads[i].last = p
	}
}

// next returns the next publication, or nil at the end.
func (l *publishedList) next() (*storage.PublishedTarget, error) {
	const pageSize = 100
	var newest *publishedHead
	for i := range l.heads {
		h := &l.heads[i]
		if len(h.page) == 0 && !h.ended {
			page, err := l.r.PublishedTargets(h.accountID, h.last, pageSize)
			if err != nil {
				return nil, err
			}
			h.page, h.ended = page, len(page) < pageSize
			if len(page) > 0 {
				h.last = page[len(page)-1]
			}
		}
		if len(h.page) > 0 && (newest == nil || comparePublished(&h.page[0], &newest.page[0]) > 0) {
			newest = h
		}
	}
	if newest == nil {
		return nil, nil
	}
	p := newest.page[0]
	newest.page = newest.page[1:]
	return &p, nil
}

func comparePublished(a, b *storage.PublishedTarget) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return slices.Compare([]byte(a.TargetID), []byte(b.TargetID))
}
