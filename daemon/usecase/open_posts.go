package usecase

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// MaxOpen is how many drafts, scheduled posts and series of an account or an API key are
// counted, each.
const MaxOpen = 1000

// Owner is the account that posts and series are published to, or the API key that made
// them. One of the fields is set.
type Owner struct{ AccountID, KeyID string }

// has reports whether a post, or the template of a series, belongs to the owner.
func (o Owner) has(p *schedctl.Post) bool {
	if o.KeyID != "" {
		return p.Author() == o.KeyID
	}
	return slices.Contains(p.AccountIDs(), o.AccountID)
}

// OpenPosts counts the open posts and series of the owner that the key of the request may
// see. It counts at most [MaxOpen] of each.
func (c *Request) OpenPosts(r storage.Reader, o Owner) (open apiv1.OpenPosts, err error) {
	for status, n := range map[schedctl.Status]*int{schedctl.Draft: &open.Drafts, schedctl.Scheduled: &open.Scheduled} {
		err := c.eachOpenPost(r, o, []schedctl.Status{status}, func(*schedctl.Post) bool { *n++; return *n < MaxOpen })
		if err != nil {
			return open, err
		}
	}
	err = c.eachOpenSeries(r, o, func(*schedctl.Series) bool { open.Series++; return open.Series < MaxOpen })
	return open, err
}

// eachOpenPost calls fn for the posts of the owner with these statuses, until fn returns
// false. It leaves out those that the key of the request may not see.
func (c *Request) eachOpenPost(r storage.Reader, o Owner, statuses []schedctl.Status, fn func(*schedctl.Post) bool) error {
	return c.eachPost(r, storage.PostQuery{WorkspaceID: c.Key.WorkspaceID, AccountID: o.AccountID, CreatedBy: o.KeyID, Statuses: statuses, Limit: postPage}, fn)
}

// eachPost calls fn for the posts of a query that the key of the request may see, until fn
// returns false.
func (c *Request) eachPost(r storage.Reader, q storage.PostQuery, fn func(*schedctl.Post) bool) error {
	for {
		page, err := r.Posts(q)
		if err != nil {
			return err
		}
		for i := range page.Posts {
			if c.MaySee(&page.Posts[i]) && !fn(&page.Posts[i]) {
				return nil
			}
		}
		if q.After = page.Next; q.After == nil {
			return nil
		}
	}
}

// postPage is how many posts are read at once.
const postPage = 200

// eachOpenSeries is eachOpenPost for the series that have not ended.
func (c *Request) eachOpenSeries(r storage.Reader, o Owner, fn func(*schedctl.Series) bool) error {
	after := ""
	for {
		page, err := r.SeriesList(c.Key.WorkspaceID, after, seriesPage)
		if err != nil {
			return err
		}
		for i := range page {
			one := &page[i]
			if one.State != schedctl.SeriesEnded && o.has(&one.Template) && c.MaySee(&one.Template) && !fn(one) {
				return nil
			}
		}
		if len(page) < seriesPage {
			return nil
		}
		after = page[len(page)-1].ID
	}
}
