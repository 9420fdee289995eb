package api

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/page"
	"github.com/schedctl/schedctl/storage"
)

// calendar returns the page of a calendar.
func (s *Server) calendar(ctx context.Context, v *visit, r storage.Reader, names page.Names) (body []byte, err error) {
	zone := v.frame.Workspace.Timezone
	span := page.ParseSpan(v.r.URL.Query(), v.Now, zone)
	q := postSelection{PostQuery: storage.PostQuery{Proposed: true, Sort: storage.PublishAscending}}
	q.PublishAfter, q.PublishBefore = span.Times(zone)
	if span.View == page.Day {
		q.most = page.DayPosts
	}
	if span.After != nil {
		q.After = &storage.Position{PublishAt: span.After.At, PostID: span.After.PostID}
	}
	var accounts map[string]string
	if span.Account != "" {
		if accounts, err = v.selectable(r); err != nil {
			return nil, err
		}
	}
	only := span.Accounts(accounts)
	switch {
	case span.Account == "":
	case len(only) == 0:
		return page.Calendar(&v.frame, span, page.Posts{}, names, accounts)
	case len(only) == 1:
		q.AccountID = only[0]
	default:
		q.accountIDs = only
	}
	list, next, err := v.posts(ctx, r, q)
	if err != nil {
		return nil, err
	}
	posts := page.Posts{List: list}
	if next != nil {
		posts.Next = &page.Place{At: next.PublishAt, PostID: next.PostID}
	}
	v.frame.Thumbnail = func(p *schedctl.Post) string { return s.thumbnail(v, r, p) }
	return page.Calendar(&v.frame, span, posts, names, accounts)
}

// selectable returns the accounts that a calendar can select, with their names by id. A share
// that is limited to accounts does not say whether there are others.
func (v *visit) selectable(r storage.Reader) (map[string]string, error) {
	all, err := r.Accounts(v.share.WorkspaceID)
	limits := v.share.Filter.AccountIDs
	names := make(map[string]string, len(all))
	for i := range all {
		if id := all[i].ID; v.MayUse(id) && (len(limits) == 0 || slices.Contains(limits, id)) {
			names[id] = all[i].Name
		}
	}
	return names, err
}

// Limits of the posts that are read for one page.
const (
	pageReads = 2000
	pageBatch = 100
)

// postSelection selects posts for a page.
type postSelection struct {
	storage.PostQuery
	accountIDs []string // posts with one of these accounts; empty for all
	most       int      // of them; 0 for all
}

func (q *postSelection) selects(p *schedctl.Post) bool {
	return len(q.accountIDs) == 0 || slices.ContainsFunc(p.Targets, func(t schedctl.Target) bool { return slices.Contains(q.accountIDs, t.AccountID) })
}

// posts returns the selected posts that the share covers and its key sees. next is the position
// after which there may be more, or nil.
func (v *visit) posts(ctx context.Context, r storage.Reader, q postSelection) (posts []*schedctl.Post, next *storage.Position, err error) {
	q.WorkspaceID, q.Limit = v.share.WorkspaceID, pageBatch
	for read := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		batch, err := r.Posts(q.PostQuery)
		if err != nil {
			return nil, nil, err
		}
		for i := range batch.Posts {
			p := &batch.Posts[i]
			if !v.MaySee(p) || !v.share.Covers(p) || !p.ArchivedAt.IsZero() || p.Status() == schedctl.Canceled || !q.selects(p) {
				continue
			}
			if q.most > 0 && len(posts) == q.most {
				last := posts[len(posts)-1]
				return posts, &storage.Position{PublishAt: q.TimeOf(last), PostID: last.ID}, nil
			}
			posts = append(posts, p)
		}
		if read += len(batch.Posts); batch.Next == nil || read >= pageReads {
			return posts, batch.Next, nil
		}
		q.After = batch.Next
	}
}

// thumbnail returns the address of a small picture of a post, relative to the page of a
// calendar; empty if it has no picture.
func (s *Server) thumbnail(v *visit, r storage.Reader, p *schedctl.Post) string {
	for i := range p.Media {
		a, err := r.MediaAsset(p.WorkspaceID, p.Media[i].AssetID)
		if err == nil && a.Status == schedctl.MediaReady && a.Class() == schedctl.MediaImage && p.Media[i].Matches(&a) {
			return "../media/" + s.fileToken(v, &a, media.Thumbnail)
		}
	}
	return ""
}
