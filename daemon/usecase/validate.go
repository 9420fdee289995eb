package usecase

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/duplicate"
)

// sameTextWarning is the minimum time between posts with the same text for an
// account. Networks treat repeated texts as spam sooner.
const sameTextWarning = 24 * time.Hour

// ValidatePost checks all rules of [Decision.CreatePost], which stops at the first
// violation, and stores nothing. With postID, it checks a change of that post. A post without a
// time is checked as if it were published now.
func (d *Decision) ValidatePost(ctx context.Context, n NewPost, postID string) (apiv1.Validation, error) {
	n.WorkspaceID = d.request.Key.WorkspaceID
	v := validation{Decision: d, body: n, postID: postID}
	err := v.run(ctx)
	return v.result, err
}

// validation checks one post that is not stored.
type validation struct {
	*Decision
	body   NewPost
	postID string        // of the existing post to change, or empty
	shown  schedctl.Post // what the body publishes

	foundAccounts []schedctl.Account
	allAccounts   []schedctl.Account // accounts, and placeholders for unknown ones
	result        apiv1.Validation
}

// shown returns a post with what the new post publishes, with a target for each override.
// It may break every rule.
func (n *NewPost) shown() schedctl.Post {
	p := schedctl.Post{WorkspaceID: n.WorkspaceID, Content: n.Content}
	for i := range n.Overrides {
		p.Targets = append(p.Targets, n.Overrides[i].Target())
	}
	return p
}

func (v *validation) run(ctx context.Context) error {
	v.result = apiv1.Validation{
		Allowed: true, Problems: []apiv1.Problem{}, Refusals: []apiv1.Problem{}, Warnings: []string{}, Accounts: []apiv1.AccountValidation{},
	}
	if err := v.attachMedia(); err != nil {
		return err
	}
	if err := v.checkSlot(); err != nil {
		return err
	}
	if err := v.checkAccounts(ctx); err != nil {
		return err
	}
	v.checkPost()
	if err := v.externalID(); err != nil {
		return err
	}
	if err := v.checkProposals(); err != nil {
		return err
	}
	for i := range v.result.Accounts {
		v.result.Allowed = v.result.Allowed && v.result.Accounts[i].Allowed
	}
	v.result.Allowed = v.result.Allowed && len(v.result.Problems) == 0
	return v.addRefusals()
}

// checkSlot gives the post the slot that it would take now. Without one, the other checks
// continue with a time in a minute.
func (v *validation) checkSlot() error {
	b := &v.body
	if !b.NextSlot {
		return nil
	}
	b.PublishAt = v.request.Now.Add(time.Minute)
	var known []string
	for _, id := range b.AccountIDs[:min(len(b.AccountIDs), schedctl.MaxAccounts)] {
		if _, err := v.request.Accounts(v.r, []string{id}); err == nil && !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		return nil // reported as a problem of the accounts
	}
	taken, err := v.takeSlot(v.r, b.SlotChoice, v.postID, known)
	if err != nil {
		return v.addProblem(err)
	}
	b.PublishAt, b.Booking = taken.At, taken.Booking
	return nil
}

// checkAccounts checks each account separately. Unknown accounts are problems of the
// post.
func (v *validation) checkAccounts(ctx context.Context) error {
	ids := v.body.AccountIDs
	if len(ids) > schedctl.MaxAccounts {
		_, err := v.request.Accounts(v.r, ids)
		return v.addProblem(err)
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			_, err := v.request.Accounts(v.r, []string{id, id})
			if err := v.addProblem(err); err != nil {
				return err
			}
			continue
		}
		if err := v.account(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (v *validation) account(ctx context.Context, id string) error {
	list, refusal := v.request.Accounts(v.r, []string{id})
	if refusal == nil {
		return v.checkAccount(ctx, list[0], nil)
	}
	a, err := v.r.Account(v.request.Key.WorkspaceID, id)
	if err != nil || schedctl.CodeOf(refusal) != schedctl.InvalidSocialAccounts {
		v.allAccounts = append(v.allAccounts, schedctl.Account{ID: id})
		return v.addProblem(refusal)
	}
	return v.checkAccount(ctx, a, refusal)
}

// checkAccount adds the result for one account. refusal is the reason why no post
// can be sent there, or nil.
func (v *validation) checkAccount(ctx context.Context, a schedctl.Account, refusal error) error {
	about := apiv1.AccountValidation{
		SocialAccountID: a.ID, Platform: a.Platform, Problems: append([]apiv1.Problem{}, problemsOf(refusal)...), Warnings: []string{},
	}
	contents := contentsFor(&a, &v.shown, v.body.Overrides)
	for i := range contents {
		if err := v.checkPart(ctx, &about, &contents[i]); err != nil {
			return err
		}
	}
	first := &about.Parts[0]
	first.Problems = append(append([]apiv1.Problem{}, problemsOf(refusal)...), first.Problems...)
	about.Length, about.Limit, about.Unit = first.Length, first.Limit, first.Unit
	if text := waitsText(&a, v.publishTime()); text != "" {
		about.Warnings = append(about.Warnings, text)
	}
	if err := v.checkBlackouts(&about, &a); err != nil {
		return err
	}
	if warning := expiryWarning(a, v.publishTime(), v.request.Now); warning != "" {
		about.Warnings = append(about.Warnings, warning)
	}
	if err := v.checkWindow(&about, &a); err != nil {
		return err
	}
	if err := v.checkReplies(&about, &a); err != nil {
		return err
	}
	if err := v.checkDuplicates(&about, contents); err != nil {
		return err
	}
	about.Allowed = len(about.Problems) == 0
	v.foundAccounts, v.allAccounts = append(v.foundAccounts, a), append(v.allAccounts, a)
	v.result.Accounts = append(v.result.Accounts, about)
	return nil
}

// checkDuplicates adds a problem when the account gets the same text twice and has
// a duplicate guard, and a warning when it has no guard.
func (v *validation) checkDuplicates(about *apiv1.AccountValidation, contents []accountContent) error {
	tooLong := func(c accountContent) bool { return v.tooLong(c.part.Content) } // in no stored post
	if v.body.Allow.Duplicate || slices.ContainsFunc(contents, tooLong) {
		return nil
	}
	c := &contents[0]
	target := c.override.Target()
	sent := duplicate.Text{PostID: v.postID, AccountID: c.account.ID, Fingerprint: v.shown.Fingerprint(&target), At: v.publishTime()}
	refusal := sent.Refuse(v.r, c.account)
	if refusal != nil {
		if schedctl.CodeOf(refusal) != schedctl.DuplicateContent {
			return refusal
		}
		about.Problems = append(about.Problems, problemsOf(refusal)...)
		return nil
	}
	twin, err := sent.Exists(v.r, sameTextWarning)
	if twin {
		about.Warnings = append(about.Warnings, "the account gets the same text from another post less than 24 h away; its network may treat it as spam")
	}
	return err
}

// publishTime is the time at which the post would be published.
func (v *validation) publishTime() time.Time {
	if v.body.PublishAt.IsZero() {
		return v.request.Now
	}
	return v.body.PublishAt
}

// checkPost checks the post without its accounts, using a valid text for checks
// that do not concern the text.
func (v *validation) checkPost() {
	content := v.body.Content
	if content.Text != "" || len(content.Media) == 0 {
		v.addProblem(schedctl.CheckContent(content.Text))
	}
	v.addProblem(v.checkStyle(v.body.Style, &v.shown))
	post := schedctl.NewPost{WorkspaceID: v.request.Key.WorkspaceID, Content: schedctl.Content{Text: "text", Media: content.Media}, Accounts: v.allAccounts}
	if content.Text == "" && len(content.Media) > 0 {
		post.Text = ""
	}
	overridden := post
	overridden.Overrides = v.body.Overrides
	_, _, err := schedctl.Create(overridden, v.request.Now)
	v.addProblem(err)
	content.Text, content.Media = "text", nil
	extended := schedctl.NewPost{WorkspaceID: v.request.Key.WorkspaceID, Content: content}
	_, _, err = schedctl.Create(extended, v.request.Now)
	v.addProblem(err)
	unknown := v.service.unknownOptions(v.foundAccounts, v.body.Overrides)
	v.result.Problems = append(v.result.Problems, problems(unknown.All())...)
	if len(v.body.AccountIDs) <= schedctl.MaxAccounts {
		post.PublishAt, post.Now = v.body.PublishAt, v.body.Now
		_, _, err = schedctl.Create(post, v.request.Now)
		v.addProblem(err)
	}
}

// externalID checks whether the post can have its external id. The post to change
// may already have it.
func (v *validation) externalID() error {
	if v.postID != "" {
		return v.addProblem(v.request.refuseTaken(v.r, v.body.ExternalID, v.postID))
	}
	_, err := v.request.replacedPost(v.r, v.body.ExternalID, v.body.Replaces)
	return v.addProblem(err)
}

// addProblem adds an error with a code to the problems of the post, unless another check
// has found the same. It returns other errors.
func (v *validation) addProblem(err error) error {
	var refusal *schedctl.Error
	if err != nil && !errors.As(err, &refusal) {
		return err
	}
	for _, p := range problemsOf(err) {
		if !slices.Contains(v.result.Problems, p) {
			v.result.Problems = append(v.result.Problems, p)
		}
	}
	return nil
}

// problemsOf converts an error to the problems of a validation.
func problemsOf(err error) []apiv1.Problem {
	var refusal *schedctl.Error
	if !errors.As(err, &refusal) {
		return nil
	}
	if len(refusal.Details) > 0 {
		return problems(refusal.Details)
	}
	return []apiv1.Problem{{Field: refusal.Field, Code: string(refusal.Code), Message: refusal.Message}}
}

func problems(faults []schedctl.FieldError) []apiv1.Problem {
	list := make([]apiv1.Problem, len(faults))
	for i, f := range faults {
		list[i] = apiv1.Problem{Field: f.Field, Code: string(f.Code), Message: f.Message}
	}
	return list
}
