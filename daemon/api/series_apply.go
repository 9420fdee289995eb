package api

import (
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// applySeries applies a change to a series and checks the result, except for what the
// networks accept. It returns the accounts of the template, in order. The version, the
// cursor and the posts are the caller's. Errors: VALIDATION_FAILED and the codes of new
// posts.
func (s *Server) applySeries(r storage.Reader, c *request, b *seriesChange, to *schedctl.Series) ([]schedctl.Account, error) {
	set(&to.Name, b.name)
	set(&to.Timezone, b.timezone)
	set(&to.Start, b.start)
	set(&to.Rule, b.rule)
	set(&to.AheadDays, b.aheadDays)
	set(&to.QueueID, b.queueID)
	set(&to.Variants, b.variants)
	if err := schedctl.CheckAccountName(to.Name); err != nil {
		return nil, err
	}
	if err := b.applyTimes(to); err != nil {
		return nil, err
	}
	if err := b.annotate(to); err != nil {
		return nil, err
	}
	accounts, err := s.applyTemplate(r, c, b, to)
	if err != nil {
		return nil, err
	}
	if b.queueID != nil || b.accountIDs != nil {
		return accounts, checkSeriesQueue(r, to)
	}
	return accounts, nil
}

// applyTimes checks the rule and the exdates of a series, and normalizes both.
func (b *seriesChange) applyTimes(to *schedctl.Series) error {
	if b.timezone == nil && b.start == nil && b.rule == nil && b.exdates == nil {
		return nil
	}
	loc, err := schedctl.LoadZone("timezone", to.Timezone)
	if err != nil {
		return clipError(err)
	}
	rule, _, err := recurrence.Parse(to.Rule, to.Start, loc)
	if err != nil {
		return err
	}
	to.Rule = rule.String()
	if b.exdates == nil {
		return nil
	}
	list := slices.Clone(*b.exdates)
	slices.Sort(list)
	to.Exdates = slices.Compact(list)
	if len(to.Exdates) == 0 {
		to.Exdates = nil
	}
	return nil
}

// clipError shortens the message of an error that repeats a text of the request.
func clipError(err error) error {
	e := asError(err)
	return schedctl.Errorf(e.Code, e.Field, "%s", clip(e.Message, maxMessage))
}

// annotate sets the external id and the file of a series. Errors: VALIDATION_FAILED for
// another external id than the series has.
func (b *seriesChange) annotate(to *schedctl.Series) error {
	if b.ExternalID != nil && *b.ExternalID != to.ExternalID {
		if to.ExternalID != "" {
			return schedctl.Errorf(schedctl.ValidationFailed, "external_id", "the series has another external_id, which cannot be changed")
		}
		to.ExternalID = *b.ExternalID
	}
	if b.Managed != nil {
		if to.Managed = new(*b.Managed); *b.Managed == (schedctl.Managed{}) {
			to.Managed = nil
		}
	}
	return nil
}

// applyTemplate changes the template of a series.
func (s *Server) applyTemplate(r storage.Reader, c *request, b *seriesChange, to *schedctl.Series) ([]schedctl.Account, error) {
	accounts, err := c.seriesAccounts(r, b, &to.Template)
	if err != nil {
		return nil, err
	}
	old := to.Template
	n := schedctl.NewPost{
		WorkspaceID: to.WorkspaceID, Content: old.Content, Accounts: accounts, Overrides: old.Overrides(),
	}
	n.Annotation = schedctl.Annotation{Labels: &old.Labels}
	if b.accountIDs != nil {
		n.Overrides = slices.DeleteFunc(n.Overrides, func(o schedctl.Override) bool {
			return !slices.ContainsFunc(accounts, func(a schedctl.Account) bool { return a.ID == o.AccountID })
		})
	}
	if b.Labels != nil {
		n.Annotation.Labels = b.Labels
	}
	if err := s.attachSeries(r, c, b, &n); err != nil {
		return nil, err
	}
	if n.Text == "" && len(to.Variants) > 0 {
		n.Text = to.Variants[0]
	}
	was := to.Template.Review
	to.Template, err = schedctl.NewTemplate(n, c.Now)
	to.Template.Review = was
	return accounts, err
}

// attachSeries sets the given fields of a template that have media, with the hashes of
// their assets.
func (s *Server) attachSeries(r storage.Reader, c *request, b *seriesChange, n *schedctl.NewPost) (err error) {
	attach := s.attacher(r, c.Key.WorkspaceID)
	if b.overrides != nil {
		if n.Overrides, err = attach.overrides(*b.overrides); err != nil {
			return err
		}
	}
	attached := b.contentBody
	if attached.ContentChange, err = attach.content(b.contentBody); err == nil {
		n.Content = attached.over(n.Content)
	}
	return err
}

// seriesAccounts returns the accounts of a template. Those that it has already may be
// disconnected.
func (c *request) seriesAccounts(r storage.Reader, b *seriesChange, template *schedctl.Post) ([]schedctl.Account, error) {
	known := template.AccountIDs()
	ids := known
	if b.accountIDs != nil {
		ids = *b.accountIDs
	}
	if len(ids) == 0 {
		return nil, schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "a series needs at least one account; give social_account_ids")
	}
	return c.FindAccounts(ids, func(id string) (schedctl.Account, error) {
		a, err := r.Account(c.Key.WorkspaceID, id)
		if slices.Contains(known, id) {
			a.Status = schedctl.AccountConnected
		}
		return a, err
	})
}

// checkSeriesQueue returns an error if the series names a queue that is missing, or that
// lacks one of its accounts.
func checkSeriesQueue(r storage.Reader, to *schedctl.Series) error {
	if to.QueueID == "" {
		return nil
	}
	q, err := r.Queue(to.WorkspaceID, to.QueueID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "this workspace has no queue with this id; list them with GET %s/queues", prefix)
	}
	if err != nil {
		return err
	}
	return slots.CheckServes(&q, to.Template.AccountIDs())
}

// variantField returns the path of a text of a series in the request.
func variantField(s *schedctl.Series, i int) string {
	if len(s.Variants) == 0 {
		return "content"
	}
	return fmt.Sprintf("variants[%d]", i)
}
