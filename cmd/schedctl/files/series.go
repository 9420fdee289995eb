package files

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/recurrence"
)

// seriesState holds what a series has besides the fields of its posts.
type seriesState struct {
	Name     string `json:"name"`
	Timezone string `json:"timezone"`
	Start    string `json:"start"`
	Rule     string `json:"rule"`
}

// part returns a text about a series, empty for none.
func (s *seriesState) part(text func(*seriesState) string) string {
	if s == nil {
		return ""
	}
	return text(s)
}

// words returns the rule in words.
func (s *seriesState) words() string {
	text := s.Rule
	loc, err := when.LoadZone(s.Timezone)
	if err == nil {
		if rule, _, err := recurrence.Parse(s.Rule, schedctl.LocalTime(s.Start), loc); err == nil {
			text = repeat.Words(&rule, schedctl.LocalTime(s.Start))
		}
	}
	return text + " " + s.Timezone
}

// wantedSeries is how a file repeats its post.
type wantedSeries struct {
	name  string
	text  string
	zone  string
	loc   *time.Location
	start schedctl.LocalTime // empty if the file has none
}

// parse parses the repetition. Without a start in the file, it is the first occurrence
// after a time.
func (w *wantedSeries) parse(after time.Time) (repeat.Repetition, error) {
	if w.start != "" {
		after, _ = w.start.In(w.loc)
		after = after.Add(-time.Minute)
	}
	return repeat.Parse(w.text, after, w.loc)
}

// readRepeat reads how a file repeats its post. The repetition must not depend on when the
// file is read.
func (r *fileReader) readRepeat(f *postfile.File, w *wantedPost) {
	if f.Repeat.Text == "" {
		for key, v := range map[string]postfile.Value{"start": f.Start, "name": f.Name} {
			if v.Text != "" {
				r.problemf(f, v.Line, "%s has no effect without repeat", key)
			}
		}
		return
	}
	s := &wantedSeries{name: cli.FirstNonEmpty(f.Name.Text, f.ID.Text), text: f.Repeat.Text, loc: r.zone}
	if f.TZ.Text != "" {
		s.loc, _ = when.LoadZone(f.TZ.Text) // readTime reports the error
	}
	faults := len(r.problems)
	switch {
	case s.loc == nil && f.TZ.Text == "":
		r.problemf(f, f.Repeat.Line, "repeat needs a time zone; add tz, such as tz: Europe/Berlin, or give --tz for all files")
	case f.At.Text != "" || f.NotBefore.Text != "":
		r.problemf(f, max(f.At.Line, f.NotBefore.Line), "a series has its times in repeat and start; remove at and not_before")
	case len(f.AllMedia()) > 0:
		r.problemf(f, f.AllMedia()[0].File.Line, "a file with repeat cannot list media; create the series with: schedctl series create --media")
	}
	s.start = r.localStart(f)
	if s.loc == nil || len(r.problems) > faults {
		return
	}
	s.zone = s.loc.String()
	if err := schedctl.CheckAccountName(s.name); err != nil {
		r.problemf(f, max(f.Name.Line, f.ID.Line), "%s", post.RuleText(err))
	}
	now, later := r.Now(), r.Now().AddDate(0, 2, 3)
	parsed, err := s.parse(now)
	if err != nil {
		r.problemf(f, f.Repeat.Line, "%v", err)
		return
	}
	if again, err := s.parse(later); err != nil || withoutStart(again) != withoutStart(parsed) || hasFrom(s.text) && again.Start != parsed.Start {
		r.problemf(f, f.Repeat.Line, "%q changes its meaning from day to day; write dates, such as 2026-12-08", s.text)
		return
	}
	w.series = s
}

// withoutStart returns the rule of a repetition.
func withoutStart(r repeat.Repetition) string { return r.Rule.String() }

// hasFrom reports whether a repetition says where it starts.
func hasFrom(text string) bool { return slices.Contains(strings.Fields(strings.ToLower(text)), "from") }

// localStart reads the start of a series: a date, or a date and a time of day.
func (r *fileReader) localStart(f *postfile.File) schedctl.LocalTime {
	if f.Start.Text == "" {
		return ""
	}
	if local, ok := parseLocal(f.Start.Text); ok {
		return local
	}
	r.problemf(f, f.Start.Line, "start: cannot read %q as a local time; write it like 2026-12-24 or 2026-12-24 18:00", cli.Clip(f.Start.Text, 40))
	return ""
}

// parseLocal reads a local time: a date, or a date and a time of day.
func parseLocal(text string) (schedctl.LocalTime, bool) {
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return schedctl.LocalTimeOf(t), true
		}
	}
	return "", false
}

// stateOfSeries returns the state of a series.
func stateOfSeries(s *apiv1.Series) postState {
	state := stateOf(apiv1.Post{
		Content: s.Content, SocialAccountIDs: s.SocialAccountIDs, Labels: s.Labels, Media: s.Media, Extras: s.Extras, TargetOverrides: s.TargetOverrides,
	})
	state.Queue = cli.Deref(s.QueueID)
	state.Series = &seriesState{Name: s.Name, Timezone: s.Timezone, Start: s.Start, Rule: s.Rule}
	return state
}

// seriesState returns the state that a file describes. Without a start in the file, an
// existing series keeps its start, so that a plan does not wander.
func (p *planner) seriesState(w wantedPost, have *apiv1.Series) (postState, error) {
	after := p.Now()
	if have != nil {
		start, _ := schedctl.LocalTime(have.Start).In(w.series.loc)
		after = start.Add(-time.Minute)
	}
	parsed, err := w.series.parse(after)
	state := w.postState
	state.Series = &seriesState{Name: w.series.name, Timezone: w.series.zone, Start: string(parsed.Start), Rule: parsed.Rule.String()}
	return state, err
}

// collectedSeries returns the series of the collection by the ids of their files.
func (p *planner) collectedSeries(ctx context.Context) (map[string]*apiv1.Series, error) {
	found := map[string]*apiv1.Series{}
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
			found[id] = &s
		}
	}
	return found, nil
}

// decideSeries chooses the change of a series as decide does for posts.
func (p *planner) decideSeries(w wantedPost, have *apiv1.Series) setting {
	s := setting{change: change{Action: isUnchanged, ID: w.file.ID.Text, File: w.file.Path}}
	want, err := p.seriesState(w, have)
	if err != nil {
		p.problemf(w.file, w.file.Repeat.Line, "%v", err)
		s.Action, s.Message = isRefused, err.Error()
		return s
	}
	w.postState = want
	if have == nil {
		s.Action, s.Differences = doCreate, differencesBetween(postState{}, want, p.names)
		s.make = func(ctx context.Context) error { return p.createSeries(ctx, w) }
		return s
	}
	is := stateOfSeries(have)
	managed := p.seriesManaged(w, want.digest())
	drifted := have.Managed.Digest != is.digest()
	switch {
	case is.digest() == want.digest():
		if *have.Managed != *managed {
			s.make = func(ctx context.Context) error { return p.editSeries(ctx, have, apiv1.EditSeries{Managed: managed}) }
		}
	case have.State == schedctl.SeriesEnded:
		s.Message = "the series has ended and does not change; give the file another id to start a new one"
	case drifted && !p.overwrite:
		s.Action, s.Message, s.Differences = isDrift, noteChangedOutside, differencesBetween(is, want, p.names)
	default:
		s.Action, s.Differences = doEdit, differencesBetween(is, want, p.names)
		s.make = func(ctx context.Context) error { return p.changeSeries(ctx, have, w, managed) }
	}
	return s
}

func (p *planner) seriesManaged(w wantedPost, digest string) *apiv1.Managed {
	return &apiv1.Managed{Collection: p.collection, Path: w.file.Path, Digest: digest}
}

// validateSeries asks the networks about the posts of a series.
func (p *planner) validateSeries(ctx context.Context, w wantedPost) error {
	create := p.request(&step{wanted: w})
	create.PublishAt, create.QueueID, create.AllowDuplicate = nil, nil, true
	v, err := p.client.ValidateChange(ctx, "", create)
	if err != nil && post.IsLineError(err) {
		p.problemf(w.file, w.file.Content.Line, "%v", err)
		return nil
	}
	p.addProblems(contentProblems(w.file, v, p.names)...)
	return err
}

// addOrphanSeries adds the series whose files were removed.
func (p *planner) addOrphanSeries(series map[string]*apiv1.Series) {
	for _, id := range slices.Sorted(maps.Keys(series)) {
		have := series[id]
		s := setting{change: change{Action: isUnchanged, ID: id}}
		switch {
		case have.State == schedctl.SeriesEnded:
			continue
		case !p.prune:
			s.Message = "its file was removed; delete the series with --prune"
		case have.Managed.Digest != stateOfSeries(have).digest() && !p.overwrite:
			s.Action, s.Message = isDrift, "its file was removed; "+noteChangedOutside
		default:
			s.Action, s.Message = doCancel, "the series is deleted, with its scheduled posts"
			s.make = func(ctx context.Context) error {
				return p.client.DeleteSeries(ctx, have.ID, client.IfVersion(have.Version))
			}
		}
		p.series = append(p.series, s)
	}
}

func (p *planner) createSeries(ctx context.Context, w wantedPost) error {
	s := &step{wanted: w}
	p.resolveNewQueue(s)
	create, external := p.request(s), p.externalID(w.file.ID.Text)
	_, err := p.client.CreateSeries(ctx, apiv1.CreateSeries{
		Name: w.Series.Name, Content: create.Content, NewExtras: create.NewExtras,
		SocialAccountIDs: create.SocialAccountIDs, TargetOverrides: create.TargetOverrides, Labels: create.Labels,
		Timezone: w.Series.Timezone, Start: w.Series.Start, Rule: w.Series.Rule, QueueID: create.QueueID,
		ExternalID: &external, Managed: p.seriesManaged(w, s.wanted.digest()),
	})
	return err
}

// changeSeries changes a series and its scheduled posts to match its file.
func (p *planner) changeSeries(ctx context.Context, have *apiv1.Series, w wantedPost, managed *apiv1.Managed) error {
	s := &step{wanted: w}
	p.resolveNewQueue(s)
	is, want := stateOfSeries(have), s.wanted.postState
	if is.Queue != "" && want.Queue == "" {
		return fmt.Errorf("a file cannot take a series out of its queue; give the file another id, or run: schedctl series edit %s --no-queue", have.ID)
	}
	fields := p.changesTo(s, is, want)
	managed.Digest = want.digest()
	edit := apiv1.EditSeries{
		Content: fields.Content, ExtrasChange: fields.ExtrasChange, SocialAccountIDs: fields.SocialAccountIDs,
		TargetOverrides: fields.TargetOverrides, Labels: fields.Labels, QueueID: fields.QueueID, Managed: managed,
	}
	for _, f := range []struct {
		have, want string
		to         **string
	}{
		{is.Series.Name, want.Series.Name, &edit.Name}, {is.Series.Timezone, want.Series.Timezone, &edit.Timezone},
		{is.Series.Start, want.Series.Start, &edit.Start}, {is.Series.Rule, want.Series.Rule, &edit.Rule},
	} {
		if f.have != f.want {
			*f.to = &f.want
		}
	}
	return p.editSeries(ctx, have, edit)
}

func (p *planner) editSeries(ctx context.Context, have *apiv1.Series, edit apiv1.EditSeries) error {
	changed, err := p.client.EditSeries(ctx, have.ID, edit, client.IfVersion(have.Version))
	if n := len(changed.Kept); err == nil && n > 0 && !p.Quiet {
		p.Messagef("%s of the series %s left as they are, because they were changed alone or are no longer scheduled", cli.IsOrAre(n, "post"), changed.Series.Name)
	}
	return err
}
