package files

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
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

	Variants  []string `json:"variants,omitempty"`
	Exdates   []string `json:"exdates,omitempty"`    // sorted local times
	AheadDays int      `json:"ahead_days,omitempty"` // 0 for the default
}

// fields adds the fields for a difference, empty for no series.
func (s *seriesState) fields(add func(field, value string)) {
	words, ahead := "", ""
	if s == nil {
		s = &seriesState{}
	} else {
		words = s.words()
	}
	if s.AheadDays != 0 {
		ahead = fmt.Sprint(s.AheadDays)
	}
	add("name", s.Name)
	add("repeat", words)
	add("variants", strings.Join(cli.Map(s.Variants, quotedText), ", "))
	add("exdates", strings.Join(s.Exdates, ", "))
	add("ahead_days", ahead)
}

// words returns the rule in words.
func (s *seriesState) words() string {
	text := s.Rule
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
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

	exdates []string
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
func (r *fileReader) readRepeat(d *postfile.Document, w *wantedPost) {
	if d.Repeat == "" {
		for _, key := range []struct {
			name  string
			given bool
		}{{"start", d.Start != ""}, {"name", d.Name != ""}, {"variants", d.Variants != nil}, {"exdates", d.Exdates != nil}, {"ahead_days", d.AheadDays != 0}} {
			if key.given {
				r.problemf(d, d.Line(key.name), "%s has no effect without repeat", key.name)
			}
		}
		return
	}
	s := &wantedSeries{name: d.Name, text: d.Repeat, loc: r.zone}
	if _, isSeries := schedctl.ParseID(schedctl.SeriesPrefix, d.ID); s.name == "" && !isSeries {
		s.name = d.ID
	}
	if d.TZ != "" {
		s.loc, _ = when.LoadZone(d.TZ) // readTime reports the error
	}
	faults := len(r.problems)
	switch {
	case s.loc == nil && d.TZ == "":
		r.problemf(d, d.Line("repeat"), "repeat needs a time zone; add tz, such as tz: Europe/Berlin, or give --tz for all files")
	case d.At != "" || d.NotBefore != "":
		r.problemf(d, max(d.Where("at").Line, d.Where("not_before").Line), "a series has its times in repeat and start; remove at and not_before")
	case d.Post.Title != nil || d.Post.PostStyle != nil:
		r.problemf(d, max(d.Where("title").Line, d.Where("post_style").Line), "a series has no title and no post_style; remove them")
	case d.AheadDays > schedctl.MaxAheadDays:
		r.problemf(d, d.Line("ahead_days"), "ahead_days must be 1 to %d", schedctl.MaxAheadDays)
	}
	s.start = r.localTime(d, "start", "start", d.Start)
	for i, text := range d.Exdates {
		if local := r.localTime(d, fmt.Sprintf("exdates[%d]", i), "exdates", text); local != "" {
			s.exdates = append(s.exdates, string(local))
		}
	}
	slices.Sort(s.exdates)
	if s.loc == nil || len(r.problems) > faults {
		return
	}
	var err error
	if s.zone, err = r.ZoneName(s.loc); err != nil {
		r.problemf(d, d.Line("repeat"), "%v", err)
		return
	}
	if err := schedctl.CheckAccountName(s.name); err != nil {
		r.problemf(d, max(d.Where("name").Line, d.Where("id").Line), "%s", post.RuleText(err))
	}
	now, later := r.Now(), r.Now().AddDate(0, 2, 3)
	parsed, err := s.parse(now)
	if err != nil {
		r.problemf(d, d.Line("repeat"), "%v", err)
		return
	}
	if again, err := s.parse(later); !r.rows && (err != nil || withoutStart(again) != withoutStart(parsed) || hasFrom(s.text) && again.Start != parsed.Start) {
		r.problemf(d, d.Line("repeat"), "%q changes its meaning from day to day; write dates, such as 2026-12-08", s.text)
		return
	}
	w.series = s
}

// withoutStart returns the rule of a repetition.
func withoutStart(r repeat.Repetition) string { return r.Rule.String() }

// hasFrom reports whether a repetition says where it starts.
func hasFrom(text string) bool { return slices.Contains(strings.Fields(strings.ToLower(text)), "from") }

// localTime reads a local time of a series: a date, or a date and a time of day.
func (r *fileReader) localTime(d *postfile.Document, path, key, text string) schedctl.LocalTime {
	if text == "" {
		return ""
	}
	if local, ok := parseLocal(text); ok {
		return local
	}
	r.problemf(d, d.Line(path), "%s: cannot read %q as a local time; write it like 2026-12-24 or 2026-12-24 18:00", key, cli.Clip(text, 40))
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

// postOf returns what the posts of a series have.
func postOf(s *apiv1.Series, assets []apiv1.MediaAsset) apiv1.Post {
	p := fields.OfSeries(*s)
	p.MediaAssets = assets
	return p
}

// stateOfSeries returns the state of a series. assets are those of its files.
func stateOfSeries(s *apiv1.Series, assets []apiv1.MediaAsset) postState {
	tidy := *s
	tidy.Variants = fields.TidyTexts(s.Variants)
	return storedStateOfSeries(&tidy, stateOf(postOf(s, assets)))
}

// appliedSeries is appliedPost for a series.
func appliedSeries(s *apiv1.Series, assets []apiv1.MediaAsset) applied {
	p := postOf(s, assets)
	stored := storedStateOfSeries(s, stateFor(p, requestOf(p), stateOfAsset(assets)))
	return applied{s.Managed, []string{stateOfSeries(s, assets).digest(), stored.digest()}}
}

// storedStateOfSeries returns the state of a series with its variants as they are. state
// is that of its posts.
func storedStateOfSeries(s *apiv1.Series, state postState) postState {
	state.Queue = cli.Deref(s.QueueID)
	state.Series = &seriesState{Name: s.Name, Timezone: s.Timezone, Start: s.Start, Rule: s.Rule, Variants: s.Variants, Exdates: s.Exdates, AheadDays: s.AheadDays}
	if s.AheadDays == schedctl.DefaultAheadDays {
		state.Series.AheadDays = 0
	}
	if plain := state.withoutNotes(); s.Managed != nil && s.Managed.Digest == plain.digest() {
		return plain
	}
	return state
}

// seriesState returns the state that a document describes. Without a start in the document,
// an existing series keeps its start, so that a plan does not wander.
func (r *fileReader) seriesState(w wantedPost, have *apiv1.Series) (postState, error) {
	after := r.Now()
	if have != nil {
		start, _ := schedctl.LocalTime(have.Start).In(w.series.loc)
		after = start.Add(-time.Minute)
	}
	parsed, err := w.series.parse(after)
	state := w.postState
	state.Series = &seriesState{
		Name: w.series.name, Timezone: w.series.zone, Start: string(parsed.Start), Rule: parsed.Rule.String(),
		Variants: w.variants, Exdates: w.series.exdates, AheadDays: w.doc.AheadDays,
	}
	if w.doc.AheadDays == schedctl.DefaultAheadDays {
		state.Series.AheadDays = 0
	}
	return state, err
}

// assetsOf returns the assets of the files of a series.
func assetsOf(ctx context.Context, c *client.Client, s *apiv1.Series) (assets []apiv1.MediaAsset, err error) {
	postfile.MapMedia(requestOf(postOf(s, nil)), func(_ string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		asset, failed := c.MediaAsset(ctx, m.ID)
		if assets = append(assets, asset); failed != nil && schedctl.CodeOf(failed) != schedctl.NotFound {
			err = failed
		}
		return m, true
	})
	return assets, err
}
