package usecase

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// decides reports whether the operation is a decision about the post of another key.
func decides(op schedctl.Operation) bool {
	return op == schedctl.OpApprove || op == schedctl.OpRequestChanges
}

// mayChange returns nil if the key may change the post. Errors: NOT_YOUR_DRAFT and
// KEY_NOT_ALLOWED for the post of another key, if the key changes only its own, or if the
// key is limited to accounts and the post has none.
func (c *Request) mayChange(p *schedctl.Post, op schedctl.Operation) error {
	if p.Author() == c.Key.ID || !c.Key.OwnOnly() && !(c.Limited() && len(p.Targets) == 0) || decides(op) && len(p.Targets) > 0 {
		return nil
	}
	if p.Status() == schedctl.Draft {
		return schedctl.Errorf(schedctl.NotYourDraft, "", "another API key created this draft, and this key changes only its own; use a key that may")
	}
	if c.draftsOnly() {
		return errDraftsOnly
	}
	return schedctl.Errorf(schedctl.KeyNotAllowed, "", "another API key created this post, and this key changes only its own; use a key that may")
}

// mayChangeSeries is mayChange for a series.
func (c *Request) mayChangeSeries(s *schedctl.Series) error {
	if s.Template.CreatedBy == c.Key.ID || !c.Key.OwnOnly() || c.decides {
		return nil
	}
	return schedctl.Errorf(schedctl.KeyNotAllowed, "", "another API key created this series, and this key changes only its own; use a key that may")
}

// mayPlan returns nil if the key may change queues, which are there for the posts of all
// keys. Errors: KEY_NOT_ALLOWED.
func (c *Request) mayPlan() error {
	if !c.Key.OwnOnly() {
		return nil
	}
	return schedctl.Errorf(schedctl.KeyNotAllowed, "", "queues are there for the posts of all API keys, and this key changes only its own; use a key that may")
}

// MayRevokeFeed returns nil if the key may revoke the calendar feed. Errors: KEY_NOT_ALLOWED.
func (c *Request) MayRevokeFeed(f *schedctl.CalendarFeed) error {
	if f.KeyID == c.Key.ID || !c.Key.OwnOnly() {
		return nil
	}
	return schedctl.Errorf(schedctl.KeyNotAllowed, "", "another API key created this calendar feed, and this key changes only its own; use a key that may")
}

// mayMove is mayChange for all posts that are moved between slots.
func (c *Request) mayMove(moves []slots.Move) error {
	for i := range moves {
		if err := c.mayChange(&moves[i].Post, schedctl.OpEdit); err != nil {
			return err
		}
	}
	return nil
}

// maxFileUsers is how many posts and series with a file are read to decide what a key may
// do with the file.
const maxFileUsers = 1000

// eachUser calls fn for the posts and the templates of series that use an asset, until fn
// returns false. all reports whether there are no further ones.
func eachUser(r storage.Reader, a *schedctl.MediaAsset, fn func(*schedctl.Post) bool) (all bool, err error) {
	ids, err := r.MediaUsers(a.ID, maxFileUsers+1)
	if err != nil {
		return false, err
	}
	for _, id := range ids[:min(len(ids), maxFileUsers)] {
		var p schedctl.Post
		if _, isSeries := schedctl.ParseID(schedctl.SeriesPrefix, id); isSeries {
			var one schedctl.Series
			one, err = r.Series(a.WorkspaceID, id)
			p = one.Template
		} else {
			p, err = r.Post(a.WorkspaceID, id)
		}
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		if !fn(&p) {
			return false, nil
		}
	}
	return len(ids) <= maxFileUsers, nil
}

// MaySeeFile reports whether the key may see an asset: it uploaded it, or may see one of
// the latest posts and series with it.
func (c *Request) MaySeeFile(r storage.Reader, a *schedctl.MediaAsset) (bool, error) {
	seen, _, err := c.maySeeFile(r, a)
	return seen, err
}

// maySeeFile is MaySeeFile, and returns the number of posts that were read.
func (c *Request) maySeeFile(r storage.Reader, a *schedctl.MediaAsset) (seen bool, read int, err error) {
	if !c.Limited() || a.UploadedBy == c.Key.ID {
		return true, 0, nil
	}
	_, err = eachUser(r, a, func(p *schedctl.Post) bool {
		read++
		seen = c.MaySee(p)
		return !seen
	})
	return seen, read, err
}

// VisibleFiles returns the assets that clients of the key see, in their order. It decides
// about the first ones, as many as looked, and stops after about [storage.ScanLimit] posts
// were read.
func (c *Request) VisibleFiles(r storage.Reader, assets []schedctl.MediaAsset) (seen []schedctl.MediaAsset, looked int, err error) {
	for total := 0; looked < len(assets) && total < storage.ScanLimit; looked++ {
		a := &assets[looked]
		ok, read, err := c.maySeeFile(r, a)
		if err != nil {
			return nil, looked, err
		}
		if total += read; ok && a.Status != schedctl.MediaDeleted {
			seen = append(seen, *a)
		}
	}
	return seen, looked, nil
}

// MayChangeFile returns nil if the key may change or delete an asset. A key that changes
// only its own posts changes only files that it uploaded and that no post of another key
// uses. A key that is limited to accounts changes only files that it uploaded. Errors:
// NOT_YOUR_DRAFT.
func (c *Request) MayChangeFile(r storage.Reader, a *schedctl.MediaAsset) error {
	others := c.Limited() && a.UploadedBy != "" && a.UploadedBy != c.Key.ID
	if !c.Key.OwnOnly() && !others {
		return nil
	}
	refusal := schedctl.Errorf(schedctl.NotYourDraft, "", "another API key uploaded this file, or uses it in a post, and this key changes only its own; upload the file again, or use a key that may")
	if a.UploadedBy != c.Key.ID {
		return refusal
	}
	all, err := eachUser(r, a, func(p *schedctl.Post) bool { return p.Author() == c.Key.ID })
	if err == nil && !all {
		return refusal
	}
	return err
}
