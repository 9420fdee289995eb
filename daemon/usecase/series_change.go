package usecase

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
)

// SeriesChange is what a request sets on a series. Nil fields stay. Media lack their
// hashes.
type SeriesChange struct {
	Name *string
	schedctl.ContentChange
	SetContent func(schedctl.Content) schedctl.Content // returns a content with the ContentChange
	MediaField string                                  // the name of the field with the media of part 0
	Variants   *[]string
	AccountIDs *[]string
	Overrides  *[]schedctl.Override
	schedctl.Annotation

	Timezone  *string
	Start     *schedctl.LocalTime
	Rule      *string
	Exdates   *[]schedctl.LocalTime
	AheadDays *int
	QueueID   *string // empty for none
}

// changesPosts reports whether the change concerns what the posts publish, and where.
func (b *SeriesChange) changesPosts() bool {
	return !b.ContentChange.Empty() || b.Variants != nil || b.AccountIDs != nil || b.Overrides != nil
}

// changesTimes reports whether the change concerns when the posts are published.
func (b *SeriesChange) changesTimes() bool {
	return b.Timezone != nil || b.Start != nil || b.Rule != nil || b.Exdates != nil || b.AheadDays != nil || b.QueueID != nil
}

// applySeries applies a change to a series and checks the result, except for what the
// networks accept. It returns the accounts of the template, in order. The version, the
// cursor and the posts are the caller's. Errors: VALIDATION_FAILED and the codes of new
// posts.
func (d *Decision) applySeries(b *SeriesChange, to *schedctl.Series) ([]schedctl.Account, error) {
	set(&to.Name, b.Name)
	set(&to.Timezone, b.Timezone)
	set(&to.Start, b.Start)
	set(&to.Rule, b.Rule)
	set(&to.AheadDays, b.AheadDays)
	set(&to.QueueID, b.QueueID)
	set(&to.Variants, b.Variants)
	if err := schedctl.CheckAccountName(to.Name); err != nil {
		return nil, err
	}
	if err := b.applyTimes(to); err != nil {
		return nil, err
	}
	if err := b.annotate(to); err != nil {
		return nil, err
	}
	accounts, err := d.applyTemplate(b, to)
	if err != nil {
		return nil, err
	}
	if b.QueueID != nil || b.AccountIDs != nil {
		return accounts, checkSeriesQueue(d.r, to)
	}
	return accounts, nil
}

// applyTimes checks the rule and the exdates of a series, and normalizes both.
func (b *SeriesChange) applyTimes(to *schedctl.Series) error {
	if b.Timezone == nil && b.Start == nil && b.Rule == nil && b.Exdates == nil {
		return nil
	}
	_, rule, err := series.RuleOf(to)
	if err != nil {
		return ClipError(err)
	}
	to.Rule = rule.String()
	if b.Exdates == nil {
		return nil
	}
	list := slices.Clone(*b.Exdates)
	slices.Sort(list)
	to.Exdates = slices.Compact(list)
	if len(to.Exdates) == 0 {
		to.Exdates = nil
	}
	return nil
}

// annotate sets the external id and the file of a series. Errors: VALIDATION_FAILED for
// another external id than the series has.
func (b *SeriesChange) annotate(to *schedctl.Series) error {
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

// applyTemplate changes the template of a series. Accounts that it has already may be
// disconnected.
func (d *Decision) applyTemplate(b *SeriesChange, to *schedctl.Series) ([]schedctl.Account, error) {
	old := to.Template
	known := old.AccountIDs()
	ids := known
	if b.AccountIDs != nil {
		ids = *b.AccountIDs
	}
	if len(ids) == 0 {
		return nil, schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "a series needs at least one account; give social_account_ids (--to)")
	}
	accounts, err := d.request.accountsOrExcused(d.r, ids, func(a *schedctl.Account) bool { return slices.Contains(known, a.ID) })
	if err != nil {
		return nil, err
	}
	n := schedctl.NewPost{
		WorkspaceID: to.WorkspaceID, Content: old.Content, Accounts: accounts, Overrides: old.Overrides(),
		Annotation: schedctl.Annotation{Labels: &old.Labels},
	}
	if b.AccountIDs != nil {
		n.Overrides = slices.DeleteFunc(n.Overrides, func(o schedctl.Override) bool { return !slices.Contains(ids, o.AccountID) })
	}
	if b.Labels != nil {
		n.Annotation.Labels = b.Labels
	}
	var overrides []schedctl.Override
	if b.Overrides != nil {
		overrides, n.Overrides = *b.Overrides, *b.Overrides
	}
	if err := attach(d.attacher(d.r), b.MediaField, &b.ContentChange, overrides); err != nil {
		return nil, err
	}
	if n.Content = b.SetContent(n.Content); len(known) > 0 {
		b.SetIn(&n.Content) // an empty comment or poll removes that of the series
	}
	if n.Text == "" && len(to.Variants) > 0 {
		n.Text = to.Variants[0]
	}
	to.Template, err = schedctl.NewTemplate(n, d.request.Now)
	to.Template.Review = old.Review
	return accounts, err
}

// set sets a field that a request may leave out.
func set[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}
