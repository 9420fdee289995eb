package usecase

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

// Limits of a change of a policy. It reads the scheduled posts of each account in one
// transaction, and changes those that lack an approval.
const (
	maxExistingReads = 10_000
	maxExisting      = 2_000    // posts
	maxExistingBytes = 16 << 20 // of text
	maxExistingIDs   = 10       // that an error names
)

// policySwitch is a change of which posts need an approval, and by whom.
type policySwitch struct {
	request     *Request
	workspaceID string
	accounts    map[string]schedctl.Account // of the workspace, after the change
	affected    []string                    // accounts whose posts may lack an approval after the change
	fourEyes    bool                        // after the change
	existing    schedctl.Existing
	changed     bool // the accounts have another policy

	posts  []schedctl.Post   // that lack an approval
	series []schedctl.Series // active ones that lack an approval
}

// newPolicySwitch returns a switch of the policies of accounts.
func (c *Request) newPolicySwitch(workspaceID string, accounts []schedctl.Account, fourEyes bool, existing schedctl.Existing) *policySwitch {
	s := &policySwitch{request: c, workspaceID: workspaceID, accounts: make(map[string]schedctl.Account, len(accounts)), fourEyes: fourEyes, existing: existing}
	for _, a := range accounts {
		s.accounts[a.ID] = a
	}
	return s
}

// check finds the posts and series that lack an approval after the change, and returns an
// error unless the request says what becomes of them, and may. Errors: EXISTING_POSTS,
// INSUFFICIENT_SCOPE, ACCOUNT_NOT_ALLOWED.
func (s *policySwitch) check(r storage.Reader) error {
	if err := s.mayApprove(); err != nil || len(s.affected) == 0 {
		return err
	}
	if err := s.findPosts(r); err != nil {
		return err
	}
	if err := s.findSeries(r); err != nil {
		return err
	}
	switch {
	case len(s.posts)+len(s.series) == 0:
		return nil
	case s.existing == "":
		return s.refusal()
	case s.hides():
		return schedctl.Errorf(schedctl.AccountNotAllowed, "existing", "some of the posts that lack an approval are also for accounts that this API key may not use; use another key")
	}
	return nil
}

// mayApprove returns nil if the key may do with the posts what the request asks for.
func (s *policySwitch) mayApprove() error {
	switch c := s.request; {
	case s.existing != schedctl.ExistingApprove:
		return nil
	case !c.actor().Approver:
		return schedctl.Errorf(schedctl.InsufficientScope, "existing", "approving the existing posts needs a key with the scope posts:approve; give existing: submit (--existing submit), or use another key")
	case s.workspaceID != c.Key.WorkspaceID:
		return schedctl.Errorf(schedctl.InsufficientScope, "existing", "a key cannot approve posts of another workspace; give existing: submit (--existing submit), or use a key of that workspace")
	}
	return nil
}

// findPosts reads the posts of the affected accounts that are scheduled or being published:
// these may wait for a retry. In a transaction, no other
// one adds a post to these accounts before the commit.
func (s *policySwitch) findPosts(r storage.Reader) error {
	seen, reads, bytes := map[string]bool{}, 0, 0
	for _, id := range s.affected {
		q := storage.PostQuery{WorkspaceID: s.workspaceID, AccountID: id, Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}, Sort: storage.PublishAscending, Limit: 100}
		for more := true; more; more = q.After != nil {
			page, err := r.Posts(q)
			if err != nil {
				return err
			}
			if reads += len(page.Posts); reads > maxExistingReads {
				return errManyToCheck
			}
			for i := range page.Posts {
				p := &page.Posts[i]
				if seen[p.ID] || !p.LacksApproval(s.accountsOf(p), s.fourEyes) {
					continue
				}
				seen[p.ID] = true
				s.posts, bytes = append(s.posts, *p), bytes+storage.TextBytes(p)
			}
			if len(s.posts) > maxExisting || bytes > maxExistingBytes {
				return errManyLack
			}
			q.After = page.Next
		}
	}
	slices.SortFunc(s.posts, func(a, b schedctl.Post) int { return a.PublishAt.Compare(b.PublishAt) })
	return nil
}

var (
	errManyToCheck = schedctl.Errorf(schedctl.ExistingPosts, "existing",
		"more than %d posts of these accounts are scheduled, too many to check in one change; require approvals of one account after another (--set approval=required), and then change the workspace", maxExistingReads)
	errManyLack = schedctl.Errorf(schedctl.ExistingPosts, "existing",
		"more than %d scheduled posts lack the approval that this change demands, or their texts are too long for one change; require approvals of one account after another (--set approval=required), or make some of the posts drafts before, with POST /posts/{id}/unschedule (schedctl post unschedule)", maxExisting)
)

// findSeries reads the active series of the affected accounts. One that waits for an approval
// under any policy has made no posts: a change of a policy does not decide about it.
func (s *policySwitch) findSeries(r storage.Reader) error {
	for after := ""; ; {
		page, err := r.SeriesList(s.workspaceID, after, seriesPage)
		if err != nil {
			return err
		}
		for i := range page {
			one := &page[i]
			if one.State == schedctl.SeriesActive && !one.Waits() && slices.ContainsFunc(one.Template.AccountIDs(), s.affects) && one.LacksApproval(s.accountsOf(&one.Template), s.fourEyes) {
				s.series = append(s.series, *one)
			}
		}
		if len(page) < seriesPage {
			return nil
		}
		after = page[len(page)-1].ID
	}
}

func (s *policySwitch) affects(accountID string) bool { return slices.Contains(s.affected, accountID) }

// accountsOf returns the accounts of a post or template as they are after the change.
func (s *policySwitch) accountsOf(p *schedctl.Post) []schedctl.Account {
	list := make([]schedctl.Account, len(p.Targets))
	for i := range p.Targets {
		list[i] = s.accounts[p.Targets[i].AccountID]
	}
	return list
}

// hides reports whether the key may not see one of the posts or series.
func (s *policySwitch) hides() bool {
	c := s.request
	return slices.ContainsFunc(s.posts, func(p schedctl.Post) bool { return !c.MaySee(&p) }) ||
		slices.ContainsFunc(s.series, func(one schedctl.Series) bool { return !c.MaySee(&one.Template) })
}

// refusal returns the error with the number of the posts and series, and the first ids of
// those that the key may see.
func (s *policySwitch) refusal() error {
	var details []schedctl.FieldError
	name := func(id string, p *schedctl.Post) {
		if len(details) < maxExistingIDs && s.workspaceID == s.request.Key.WorkspaceID && s.request.MaySee(p) {
			details = append(details, schedctl.FieldError{Field: "existing", Code: schedctl.ExistingPosts, Message: id})
		}
	}
	for i := range s.posts {
		name(s.posts[i].ID, &s.posts[i])
	}
	for i := range s.series {
		name(s.series[i].ID, &s.series[i].Template)
	}
	number := len(s.posts) + len(s.series)
	if more := number - len(details); more > 0 && len(details) > 0 {
		details = append(details, schedctl.FieldError{Code: schedctl.ExistingPosts, Message: fmt.Sprintf("%d more", more)})
	}
	err := schedctl.Errorf(schedctl.ExistingPosts, "existing",
		"%s the approval that this change demands, and would not be published; give existing: approve or submit (--existing approve or submit)", lacking(len(s.posts), len(s.series)))
	if number == 1 && len(details) == 1 {
		err.Message += "; it is " + details[0].Message
	}
	err.Details = details
	return err
}

// lacking says how many posts and series lack something: "1 scheduled post lacks".
func lacking(posts, series int) string {
	noun := " scheduled posts"
	if posts == 1 {
		noun = " scheduled post"
	}
	text := strconv.Itoa(posts) + noun
	switch {
	case series == 0:
	case posts == 0:
		text = strconv.Itoa(series) + " active series"
	default:
		text += " and " + strconv.Itoa(series) + " active series"
	}
	if posts+series == 1 {
		return text + " lacks"
	}
	return text + " lack"
}

// settle approves the posts and series that lack an approval, or makes them wait for one. The
// accounts have been stored with their new policies.
func (s *policySwitch) settle(tx storage.Tx) error {
	by := schedctl.Settlement{Existing: s.existing, By: s.request.actor()}
	by.By.FourEyes = s.fourEyes
	authors := map[string]schedctl.KeyRef{}
	for i := range s.series {
		one := &s.series[i]
		if err := s.author(tx, authors, &one.Template, &by); err != nil {
			return err
		}
		one.Template.UpdatedBy = s.request.Key.ID
		if err := series.Settle(tx, one, by, s.request.sweep()); err != nil {
			return err
		}
		s.logs("Series", one.ID)
	}
	for i := range s.posts {
		p := &s.posts[i]
		if s.follows(p) || s.existing == schedctl.ExistingSubmit && p.Status() == schedctl.Publishing {
			continue // a post that is being published cannot be a draft; what is left of it fails for lack of an approval
		}
		if err := s.author(tx, authors, p, &by); err != nil {
			return err
		}
		events, err := p.Settle(by, s.request.Now)
		if err != nil {
			return err
		}
		p.UpdatedBy = s.request.Key.ID
		if err := errors.Join(tx.PutPost(*p), tx.AddEvents(events...)); err != nil {
			return err
		}
		s.logs("Post", p.ID)
	}
	return nil
}

// follows reports whether a post changes with a series that lacks an approval.
func (s *policySwitch) follows(p *schedctl.Post) bool {
	return !p.Detached && p.PublishAt.After(s.request.Now) && slices.ContainsFunc(s.series, func(one schedctl.Series) bool { return one.ID == p.SeriesID })
}

// author sets the requester: the key that wrote the post, or that of the request if that key
// is not known.
func (s *policySwitch) author(r storage.Reader, known map[string]schedctl.KeyRef, p *schedctl.Post, by *schedctl.Settlement) error {
	id := p.Author()
	ref, found := known[id]
	if !found {
		ref = by.By.Key
		k, err := r.Key(s.workspaceID, id)
		switch {
		case err == nil:
			ref = k.Actor().Key
		case schedctl.CodeOf(err) != schedctl.NotFound:
			return err
		}
		known[id] = ref
	}
	by.Requester = ref
	return nil
}

// logs adds the step that was done with a post or a series to the audit log.
func (s *policySwitch) logs(noun, id string) {
	s.request.Also = append(s.request.Also, Step{WorkspaceID: s.workspaceID, Action: string(s.existing) + noun, ID: id})
}
