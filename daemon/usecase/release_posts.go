package usecase

import (
	"context"
	"errors"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/storage"
)

const (
	// maxReleased limits the open posts that one request releases.
	maxReleased = 10_000

	// releaseBatch is how many posts a transaction releases. It releases one series.
	releaseBatch = 50
)

// Release says what becomes of the open posts and series of an account that is
// disconnected, or of an API key that is revoked.
type Release struct {
	Owner
	Posts  string // keep, unschedule or cancel
	MoveTo string // the account that takes the place of the other one; or empty
}

// Keeps reports whether all posts stay as they are.
func (rel *Release) Keeps() bool { return rel.MoveTo == "" && rel.Posts == apiv1.PostsKeep }

// releaser releases posts for one request.
type releaser struct {
	Release
	service *Service
	request *Request
	update  func(func(storage.Tx) error) error
	view    View

	// audit adds an entry of the audit log about a post or a series.
	audit func(tx storage.Tx, action, id string) error
}

// ReleasePosts changes the open posts and series of an owner. It first checks all of them,
// and changes nothing if one cannot be changed: the error names up to 20. Then it changes
// them in transactions of at most 50 posts, series first. If it ends early, a second call
// continues. Posts that the key of the request may not see stay.
//
// Errors: INSUFFICIENT_SCOPE for a key that writes no posts; VALIDATION_FAILED for more than
// 10,000 posts, and for posts that cannot be changed.
func (s *Service) ReleasePosts(ctx context.Context, c *Request, rel Release, view View, update func(func(storage.Tx) error) error, audit func(tx storage.Tx, action, id string) error) error {
	if rel.Keeps() {
		return nil
	}
	if c.draftsOnly() {
		return errDraftsOnly
	}
	r := &releaser{Release: rel, service: s, request: c, update: update, view: view, audit: audit}
	if err := view(r.checkDestination); err != nil {
		return err
	}
	series, err := r.series()
	if err != nil {
		return err
	}
	posts, err := r.posts(series)
	if err != nil {
		return err
	}
	if err := r.check(ctx, slices.Concat(series, posts)); err != nil {
		return err
	}
	for _, id := range series {
		if err := r.apply(ctx, []string{id}); err != nil {
			return err
		}
	}
	if posts, err = r.posts(nil); err != nil { // series have removed and made some
		return err
	}
	for batch := range slices.Chunk(posts, releaseBatch) {
		if err := r.apply(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// checkDestination returns an error if the account that posts move to cannot take any.
func (r *releaser) checkDestination(reader storage.Reader) error {
	const field = "move_to"
	if r.MoveTo == "" {
		return nil
	}
	if r.MoveTo == r.AccountID {
		return schedctl.Errorf(schedctl.ValidationFailed, field, "move_to is the account that is disconnected; name another one")
	}
	_, err := r.request.Accounts(reader, []string{r.MoveTo})
	if e, ok := errors.AsType[*schedctl.Error](err); ok {
		return schedctl.Errorf(e.Code, field, "%s", e.Message)
	}
	return err
}

// series returns the ids of the series to release.
func (r *releaser) series() (ids []string, err error) {
	err = r.view(func(reader storage.Reader) error {
		ids = nil
		return r.request.eachOpenSeries(reader, r.Owner, func(s *schedctl.Series) bool {
			if r.MoveTo != "" || r.Posts == apiv1.PostsCancel || s.State == schedctl.SeriesActive {
				ids = append(ids, s.ID)
			}
			return true
		})
	})
	return ids, err
}

// posts returns the ids of the posts to release, except for those that follow one of the
// series.
func (r *releaser) posts(series []string) (ids []string, err error) {
	statuses := []schedctl.Status{schedctl.Scheduled}
	if r.MoveTo != "" {
		statuses = append(statuses, schedctl.Draft)
	}
	err = r.view(func(reader storage.Reader) error {
		ids = nil
		return r.request.eachOpenPost(reader, r.Owner, statuses, func(p *schedctl.Post) bool {
			if p.Detached || p.Status() != schedctl.Scheduled || !slices.Contains(series, p.SeriesID) {
				ids = append(ids, p.ID)
			}
			return len(ids) <= maxReleased
		})
	})
	if err == nil && len(ids) > maxReleased {
		err = schedctl.Errorf(schedctl.ValidationFailed, "posts", "more than %d posts are open; cancel some of them before, or keep them", maxReleased)
	}
	return ids, err
}

// check returns an error that names the posts and series which cannot be changed. Its code is
// APPROVAL_REQUIRED if all of them only lack an approval.
func (r *releaser) check(ctx context.Context, ids []string) error {
	var refused Faults
	for batch := range slices.Chunk(ids, releaseBatch) {
		d, c := r.decision()
		err := r.view(func(reader storage.Reader) error {
			d.On(reader)
			for _, id := range batch {
				_, err := r.change(ctx, d, c, id)
				e, isRefusal := errors.AsType[*schedctl.Error](err)
				switch {
				case err == nil:
				case !isRefusal || e.Code == schedctl.Internal:
					return err
				case refused.Count():
					refused.Add(Fault(e.Code, id, "%s", Clip(e.Message, maxMessage)))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if refused.Empty() {
		return nil
	}
	code, all := schedctl.ValidationFailed, refused.All()
	if !slices.ContainsFunc(all, func(d schedctl.FieldError) bool { return d.Code != schedctl.ApprovalMissing }) {
		code = schedctl.ApprovalMissing
	}
	return &schedctl.Error{
		Code: code, Details: all,
		Message: "nothing was changed, because some posts cannot be changed like this; details names them; change these before, or choose something else",
	}
}

// decision returns a decision about objects whose ids the caller sets in the request.
func (r *releaser) decision() (*Decision, *Request) {
	c := *r.request
	c.Expected = nil
	return r.service.Decide(&c, nil), &c
}

// apply changes posts and series in one transaction.
func (r *releaser) apply(ctx context.Context, ids []string) error {
	d, c := r.decision()
	for {
		err := r.view(func(reader storage.Reader) error { // texts are measured here
			d.On(reader)
			return r.changeAll(ctx, d, c, ids)
		})
		if err != nil {
			return err
		}
		err = r.update(func(tx storage.Tx) error {
			d.In(tx)
			return r.changeAll(ctx, d, c, ids)
		})
		if !Again(err) {
			return err
		}
	}
}

func (r *releaser) changeAll(ctx context.Context, d *Decision, c *Request, ids []string) error {
	for _, id := range ids {
		action, err := r.change(ctx, d, c, id)
		if err == nil && action != "" && d.tx != nil {
			err = r.audit(d.tx, action, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change changes a post or a series, and returns the operation; an empty one for an object
// that is no longer open. On a snapshot it only checks.
func (r *releaser) change(ctx context.Context, d *Decision, c *Request, id string) (action string, err error) {
	c.ID, d.effort, d.further = id, 0, false
	if _, isSeries := schedctl.ParseID(schedctl.SeriesPrefix, id); isSeries {
		return r.changeSeries(ctx, d, c)
	}
	p, err := c.Post(d.r)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && (p.CheckOperation(schedctl.OpEdit) != nil || !r.has(&p)) {
		return "", nil
	}
	if err != nil || r.MoveTo == "" && p.Status() != schedctl.Scheduled {
		return "", err
	}
	others := r.others(&p)
	switch {
	case r.MoveTo != "" || r.Posts == apiv1.PostsCancel && r.AccountID != "" && len(others) > 0:
		e := EditPost{MediaField: "media", AccountIDs: &others}
		if overrides, changed := r.overrides(&p); changed {
			e.Overrides = &overrides
		}
		return "editPost", r.edit(ctx, d, e)
	case d.tx == nil:
		_, err = c.changePost(d.r, nil, schedctl.OpUnschedule, func(*schedctl.Post) ([]schedctl.Event, error) { return nil, nil })
		return "", err
	case r.Posts == apiv1.PostsCancel:
		_, err = c.CancelPost(d.tx, nil)
		return "cancelPost", err
	}
	_, err = c.UnschedulePost(d.tx)
	return "unschedulePost", err
}

// edit edits a post. It also looks for duplicates on a snapshot, unlike other edits.
func (r *releaser) edit(ctx context.Context, d *Decision, e EditPost) error {
	p, err := d.EditPost(ctx, e)
	if err != nil || d.tx != nil {
		return err
	}
	accounts, err := accountsOf(d.r, &p)
	if err != nil {
		return err
	}
	return duplicate.Refuse(d.r, &p, accounts)
}

// changeSeries is change for a series.
func (r *releaser) changeSeries(ctx context.Context, d *Decision, c *Request) (action string, err error) {
	s, err := c.Series(d.r)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && (s.State == schedctl.SeriesEnded || !r.has(&s.Template)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	others := r.others(&s.Template)
	switch {
	case r.MoveTo != "" || r.Posts == apiv1.PostsCancel && r.AccountID != "" && len(others) > 0:
		e := SeriesChange{MediaField: "media", AccountIDs: &others, SetContent: func(c schedctl.Content) schedctl.Content { return c }}
		if overrides, changed := r.overrides(&s.Template); changed {
			e.Overrides = &overrides
		}
		_, err = d.EditSeries(ctx, e, "")
		return "editSeries", err
	case d.tx == nil:
		_, err = c.changeableSeries(d.r)
		return "", err
	case r.Posts == apiv1.PostsCancel:
		_, err = c.EndSeries(d.tx)
		return "endSeries", err
	}
	_, err = c.PauseSeries(d.tx)
	return "pauseSeries", err
}

// others returns the accounts of a post after the change: without the one that is
// disconnected, and with the one that takes its place.
func (r *releaser) others(p *schedctl.Post) (ids []string) {
	for _, id := range p.AccountIDs() {
		if id == r.AccountID {
			id = r.MoveTo
		}
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// overrides returns the overrides of a post after the change: the account that takes the
// place of another one also gets its override, unless it has one.
func (r *releaser) overrides(p *schedctl.Post) (list []schedctl.Override, changed bool) {
	list = p.Overrides()
	i := slices.IndexFunc(list, func(o schedctl.Override) bool { return o.AccountID == r.AccountID })
	if i < 0 {
		return nil, false
	}
	if r.MoveTo == "" || slices.Contains(p.AccountIDs(), r.MoveTo) {
		return slices.Delete(list, i, i+1), true
	}
	list[i].AccountID = r.MoveTo
	return list, true
}
