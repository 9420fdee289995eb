package files

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// collectedSeries is a series of the collection with the assets of its files.
type collectedSeries struct {
	*apiv1.Series
	is      postState
	applied applied
}

// collectedSeries returns the series of the collection by the ids of their files, and keeps
// those of other collections.
func (p *planner) collectedSeries(ctx context.Context) (map[string]*collectedSeries, error) {
	found := map[string]*collectedSeries{}
	if p.collection == "" {
		return found, nil
	}
	for s, err := range p.client.EachSeries(ctx, client.SeriesQuery{Limit: post.PageSize}) {
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return found, nil // a daemon without series
		}
		if err != nil {
			return nil, err
		}
		if id, ours := strings.CutPrefix(cli.Deref(s.ExternalID), p.externalID("")); ours && s.Managed != nil && s.Managed.Collection == p.collection {
			assets, err := assetsOf(ctx, p.client, &s)
			if err != nil {
				return nil, err
			}
			p.assets.add(assets...)
			found[id] = &collectedSeries{&s, stateOfSeries(&s, assets), appliedSeries(&s, assets)}
		} else if s.Managed != nil && s.State != schedctl.SeriesEnded {
			p.otherSeries = append(p.otherSeries, s)
		}
	}
	return found, nil
}

// decideSeries chooses the change of a series as decide does for posts.
func (p *planner) decideSeries(w wantedPost, have *collectedSeries) setting {
	s := setting{change: change{Action: isUnchanged, ID: w.doc.ID, File: w.doc.Path}, wanted: &w, createdBy: p.key.ID}
	var existing *apiv1.Series
	if have != nil {
		existing, s.series, s.createdBy = have.Series, have.Series, creator(have.Series)
	}
	want, err := p.seriesState(w, existing)
	if err != nil {
		p.problemf(w.doc, w.doc.Line("repeat"), "%v", err)
		s.Action, s.Message = isRefused, cli.ErrorLine(err)
		return s
	}
	w.postState = want
	if have == nil {
		s.Action, s.Differences = doCreate, differencesBetween(postState{}, want, p.names)
		s.make = func(ctx context.Context) error { return p.createSeries(ctx, w) }
		return s
	}
	managed, same := p.seriesManaged(w, want.digest()), have.is.digest() == want.digest()
	if !same && have.State == schedctl.SeriesEnded {
		s.Message = "the series has ended and does not change; give the file another id to start a new one"
		return s
	}
	s.Differences = differencesBetween(have.is, want, p.names)
	switch send := p.compare(&s, have.applied, managed, same); {
	case send && same:
		s.make = func(ctx context.Context) error {
			return p.editSeries(ctx, have.Series, w.doc.ID, apiv1.EditSeries{Managed: managed})
		}
	case send:
		s.make = func(ctx context.Context) error { return p.changeSeries(ctx, have, w) }
	}
	return s
}

// creator returns the id of the key that created a series, empty for none.
func creator(s *apiv1.Series) string {
	if s.CreatedBy == nil {
		return ""
	}
	return s.CreatedBy.ID
}

func (p *planner) seriesManaged(w wantedPost, digest string) *apiv1.Managed {
	return &apiv1.Managed{Collection: p.collection, Path: w.doc.Path, Digest: digest}
}

// validateSeries asks the networks about the posts of the series that change, and whether
// the series need approvals.
func (p *planner) validateSeries(ctx context.Context, list []setting) error {
	for i := range list {
		s := &list[i]
		changes := s.Action == doCreate || s.Action == doEdit
		if s.wanted == nil || !changes && !p.mayAsk(s) {
			continue
		}
		w := *s.wanted
		create := seriesPost(p.withAssets(w), w.variants)
		if len(p.missing(w)) > 0 && !post.WithoutMedia(&create) {
			continue
		}
		create.AllowDuplicate = create.AllowDuplicate && !p.key.Agent
		create.PublishAt = apiv1.At(p.Now().Add(time.Hour)) // as a post that is not a draft
		v, err := p.client.ValidateChange(ctx, "", create)
		if err != nil && post.IsLineError(err) {
			p.problemf(w.doc, w.doc.First, "%v", err)
			continue
		}
		if err != nil {
			return err
		}
		lacks := slices.ContainsFunc(v.Refusals, func(r apiv1.Problem) bool { return r.Code == string(schedctl.ApprovalMissing) })
		if lacks && !p.keepsApproval(s) {
			p.approveSeries(s)
		}
		if !changes {
			continue
		}
		var c checked
		withoutTimes(&v)
		p.readValidation(w.doc, v, &c)
		p.addProblems(c.problems...)
	}
	return nil
}

// withoutTimes removes what a validation says about the time of the post.
func withoutTimes(v *apiv1.Validation) {
	inBlackout := func(p apiv1.Problem) bool { return p.Code == string(schedctl.InBlackout) }
	v.Problems = slices.DeleteFunc(v.Problems, inBlackout)
	for i := range v.Accounts {
		v.Accounts[i].Problems = slices.DeleteFunc(v.Accounts[i].Problems, inBlackout)
	}
}

// mayAsk reports whether --submit may have to ask for the approval of an unchanged series.
func (p *planner) mayAsk(s *setting) bool {
	return p.submit && s.Action == isUnchanged && s.series != nil && s.series.State == schedctl.SeriesActive && !waitsOrApproved(s.series)
}

func waitsOrApproved(s *apiv1.Series) bool {
	return s.Approval != nil && (s.Approval.State == schedctl.ApprovalPending || s.Approval.State == schedctl.ApprovalApproved)
}

// keepsApproval reports whether a change of an approved series by this key is approved with
// it; see [schedctl.Post.Edit]. If each text needs two people, the series waits again.
func (p *planner) keepsApproval(s *setting) bool {
	a := s.series
	return a != nil && a.Approval != nil && a.Approval.State == schedctl.ApprovalApproved && a.Approval.RequestedBy.ID != p.key.ID &&
		p.key.Allows(schedctl.ScopePostsApprove) && !p.key.OwnOnly() && !p.key.Agent
}

// approveSeries refuses a series that makes no posts without an approval, or with --submit
// asks for it.
func (p *planner) approveSeries(s *setting) {
	d := s.wanted.doc
	if !p.submit {
		p.refuse(refusal{d.Problemf(d.First, "the series makes no posts before another key has approved it; --submit asks for that"), schedctl.ApprovalMissing})
		return
	}
	if p.submitted == nil {
		p.submitted = map[string]bool{}
	}
	p.submitted[d.ID] = true
	if series := s.series; s.Action == isUnchanged {
		s.Action, s.Message = doEdit, "asks for an approval"
		s.make = func(ctx context.Context) error { return p.submitSeries(ctx, d.ID, *series) }
	}
}

// submitSeries asks for the approval of the series of a file, if it needs one and does not
// wait for it already.
func (p *planner) submitSeries(ctx context.Context, id string, s apiv1.Series) error {
	if !p.submitted[id] || s.Approval != nil && s.Approval.State == schedctl.ApprovalPending {
		return nil
	}
	_, err := p.client.SubmitSeries(ctx, s.ID, apiv1.SubmitSeries{}, client.IfVersion(s.Version))
	return err
}

// seriesPost returns the request for a post of a series, to validate it.
func seriesPost(create apiv1.CreatePost, variants []string) apiv1.CreatePost {
	create.PublishAt, create.QueueID, create.AllowDuplicate = nil, nil, true
	if len(variants) > 0 {
		create.Content = variants[0]
	}
	return create
}

// addOrphanSeries adds the series whose files were removed.
func (p *planner) addOrphanSeries(series map[string]*collectedSeries) {
	for _, id := range slices.Sorted(maps.Keys(series)) {
		have := series[id]
		s := setting{change: change{Action: isUnchanged, ID: id}, createdBy: creator(have.Series)}
		if have.State == schedctl.SeriesEnded {
			continue
		}
		p.compareGone(&s, have.applied, "its file was removed", "series", "the series is deleted, with its scheduled posts")
		if s.Action == doCancel {
			s.make = func(ctx context.Context) error {
				return p.client.DeleteSeries(ctx, have.ID, client.IfVersion(have.Version))
			}
		}
		p.series = append(p.series, s)
	}
}

func (p *planner) createSeries(ctx context.Context, w wantedPost) error {
	if err := p.uploadMissing(ctx, w); err != nil {
		return err
	}
	s := &step{wanted: w}
	p.resolveNewQueue(s)
	create, external := newSeries(p.withAssets(w), s.wanted.postState), p.externalID(w.doc.ID)
	create.ExternalID, create.Managed = &external, p.seriesManaged(w, s.wanted.digest())
	created, err := p.client.CreateSeries(ctx, create)
	if err != nil {
		return err
	}
	return p.submitSeries(ctx, w.doc.ID, created)
}

// newSeries returns the request that creates a series.
func newSeries(request apiv1.CreatePost, want postState) (create apiv1.CreateSeries) {
	s := want.Series
	fields.Copy(&create, request)
	create.Name, create.Timezone, create.Start, create.Rule, create.Variants, create.Exdates = s.Name, s.Timezone, s.Start, s.Rule, s.Variants, s.Exdates
	if s.AheadDays != 0 {
		create.AheadDays = &s.AheadDays
	}
	if want.Queue != "" {
		create.QueueID = &want.Queue
	}
	return create
}

// changeSeries changes a series and its scheduled posts to match its file.
func (p *planner) changeSeries(ctx context.Context, have *collectedSeries, w wantedPost) error {
	if err := p.uploadMissing(ctx, w); err != nil {
		return err
	}
	s := &step{wanted: w}
	p.resolveNewQueue(s)
	if have.is.Queue != "" && s.wanted.Queue == "" {
		return fmt.Errorf("a file cannot take a series out of its queue; give the file another id, or run: schedctl series edit %s --no-queue", have.ID)
	}
	var edit apiv1.EditSeries
	fields.Copy(&edit, changes(have.is, s.wanted.postState, p.withAssets(w)))
	if changeSeries(&edit, have.is.Series, s.wanted.Series); have.is.Queue != s.wanted.Queue {
		edit.QueueID = &s.wanted.Queue
	}
	edit.Managed = p.seriesManaged(w, s.wanted.digest())
	return p.editSeries(ctx, have.Series, w.doc.ID, edit)
}

// changeSeries adds to a change what only series have and differs.
func changeSeries(edit *apiv1.EditSeries, is, want *seriesState) {
	for _, f := range []struct {
		have, want string
		to         **string
	}{{is.Name, want.Name, &edit.Name}, {is.Timezone, want.Timezone, &edit.Timezone}, {is.Start, want.Start, &edit.Start}, {is.Rule, want.Rule, &edit.Rule}} {
		if f.have != f.want {
			*f.to = &f.want
		}
	}
	if !slices.Equal(is.Variants, want.Variants) {
		edit.Variants = new(append([]string{}, want.Variants...))
	}
	if !slices.Equal(is.Exdates, want.Exdates) {
		edit.Exdates = new(append([]string{}, want.Exdates...))
	}
	if is.AheadDays != want.AheadDays {
		edit.AheadDays = new(cmp.Or(want.AheadDays, schedctl.DefaultAheadDays))
	}
}

func (p *planner) editSeries(ctx context.Context, have *apiv1.Series, id string, edit apiv1.EditSeries) error {
	changed, err := p.client.EditSeries(ctx, have.ID, edit, client.IfVersion(have.Version))
	if n := len(changed.Kept); err == nil && n > 0 && !p.Quiet {
		p.Messagef("%s of the series %s left as they are, because they were changed alone or are no longer scheduled", cli.IsOrAre(n, "post"), changed.Series.Name)
	}
	if err != nil {
		return err
	}
	return p.submitSeries(ctx, id, changed.Series)
}
