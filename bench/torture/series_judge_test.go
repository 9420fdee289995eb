package main

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// seriesNow is when the series of the tests are judged.
var seriesNow = time.Date(2027, 6, 7, 12, 0, 0, 0, time.UTC)

// seriesPost returns an occurrence of series ser_1 on a day of June 2027, with a target.
func seriesPost(id, day string, status schedctl.Status) apiv1.Post {
	local := "2027-06-" + day + "T09:00"
	return apiv1.Post{
		ID: id, Content: "text", Status: status, PublishAt: apiv1.NewTime(schedctl.LocalTime(local).Civil()), SeriesID: new("ser_1"), Occurrence: &local,
		Targets: []apiv1.Target{{ID: "pt_" + id, Status: status}}, CreatedAt: apiv1.NewTime(seriesNow.AddDate(0, 0, -5)),
	}
}

// soundSeries returns a daily series without violations: its occurrence of the 6th was
// published, that of the 7th skipped, that of the 8th changed alone, that of the 9th
// canceled, and that of the 10th waits.
func soundSeries() (*seriesStory, *seriesObservation) {
	series := apiv1.Series{
		ID: "ser_1", Content: "text", Rule: "FREQ=DAILY", Start: "2027-06-01T09:00", Timezone: "UTC", State: schedctl.SeriesActive,
		Exdates: []string{"2027-06-07T09:00", "2027-06-09T09:00"},
	}
	s := newSeriesStory(series, true, seriesNow.AddDate(0, 0, -2))
	s.gone["2027-06-07T09:00"], s.gone["2027-06-09T09:00"], s.canceled["post_9"], s.edited["post_8"] = true, true, true, "another text"
	j := &seriesObservation{posts: map[string]apiv1.Post{}, series: map[string]apiv1.Series{"ser_1": series}, until: seriesNow.AddDate(0, 0, 3-seriesAhead)} // up to the 10th
	edited := seriesPost("post_8", "08", schedctl.Scheduled)
	edited.Content, edited.Detached = "another text", true
	for _, p := range []apiv1.Post{
		seriesPost("post_6", "06", schedctl.Published), edited, seriesPost("post_9", "09", schedctl.Canceled), seriesPost("post_10", "10", schedctl.Scheduled),
	} {
		j.posts[p.ID] = p
	}
	j.seen = map[string]delivery{"pt_post_6": {calls: 1, posts: 1, contents: []string{"text"}}}
	return s, j
}

// TestSeriesJudge breaks each promise of a series once.
func TestSeriesJudge(t *testing.T) {
	t.Parallel()
	type change func(*seriesStory, *seriesObservation)
	put := func(p apiv1.Post) change { return func(_ *seriesStory, j *seriesObservation) { j.posts[p.ID] = p } }
	seen := func(id string, d delivery) change {
		return func(_ *seriesStory, j *seriesObservation) { j.seen[id] = d }
	}
	foreign := seriesPost("post_6", "06", schedctl.Published)
	foreign.SeriesID = new("ser_2")
	twin, forgotten := seriesPost("post_6b", "06", schedctl.Published), seriesPost("post_8", "08", schedctl.Scheduled)
	twin.Occurrence = new("2027-06-06T15:00")
	stale := seriesPost("post_10", "10", schedctl.Scheduled)
	stale.Content = "old"
	for name, tt := range map[string]struct {
		change change
		want   violation // empty for none
	}{
		"nothing":                {func(*seriesStory, *seriesObservation) {}, ""},
		"a lost series":          {func(_ *seriesStory, j *seriesObservation) { delete(j.series, "ser_1") }, lostRecord},
		"a lost edit":            {func(s *seriesStory, _ *seriesObservation) { s.series.Rule = "FREQ=WEEKLY" }, lostRecord},
		"a lost pause":           {func(s *seriesStory, _ *seriesObservation) { s.series.State = schedctl.SeriesPaused }, lostRecord},
		"a deleted series":       {func(s *seriesStory, _ *seriesObservation) { s.deleted = true }, doneTwice},
		"a post without an edit": {put(stale), lostRecord},
		"a post of no series":    {put(foreign), doneTwice},
		"a lost occurrence":      {func(_ *seriesStory, j *seriesObservation) { delete(j.posts, "post_10") }, lostRecord},
		"a lost edited post":     {func(_ *seriesStory, j *seriesObservation) { delete(j.posts, "post_8") }, lostRecord},
		"an edit undone":         {put(forgotten), lostRecord},
		"a second post":          {put(seriesPost("post_6b", "06", schedctl.Published)), doneTwice},
		"a skipped one":          {put(seriesPost("post_7", "07", schedctl.Scheduled)), doneTwice},
		"a canceled one":         {put(seriesPost("post_9", "09", schedctl.Scheduled)), doneTwice},
		"one of a paused series": {func(s *seriesStory, j *seriesObservation) {
			s.series.State, s.stopped = schedctl.SeriesPaused, seriesNow
			j.series["ser_1"] = s.series
		}, doneTwice},
		"published after the end": {func(s *seriesStory, j *seriesObservation) {
			s.series.State, s.stopped = schedctl.SeriesEnded, seriesNow.AddDate(0, 0, -3)
			j.series["ser_1"] = s.series
			j.posts = map[string]apiv1.Post{"post_6": j.posts["post_6"], "post_9": j.posts["post_9"]}
		}, doneTwice},
		"published twice":   {seen("pt_post_6", delivery{posts: 2, contents: []string{"text", "text"}}), doneTwice},
		"another text":      {seen("pt_post_6", delivery{posts: 1, contents: []string{"old"}}), wrongStatus},
		"an unknown target": {seen("pt_post_5", delivery{posts: 1, contents: []string{"text"}}), wrongStatus},
		"never published":   {func(_ *seriesStory, j *seriesObservation) { j.seen = nil }, lostRecord},
		"two on one day": {func(s *seriesStory, j *seriesObservation) {
			put(twin)(s, j)
			seen("pt_post_6b", j.seen["pt_post_6"])(s, j)
		}, doneTwice},
		"a hole before a hole": {func(_ *seriesStory, j *seriesObservation) { delete(j.posts, "post_6"); j.seen = nil }, lostRecord},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := new(verdictCollector)
			s, j := soundSeries()
			tt.change(s, j)
			j.judge(v, []*seriesStory{s})
			if tt.want == "" && len(v.violations) > 0 || tt.want != "" && v.violations[tt.want] == 0 {
				t.Errorf("violations: %v, want %q", v.faults, tt.want)
			}
		})
	}
}

// TestCopyJudge lets a restored copy make and publish what it may not.
func TestCopyJudge(t *testing.T) {
	t.Parallel()
	published := delivery{calls: 1, posts: 1}
	for name, tt := range map[string]struct {
		change func(o *copyObservation)
		want   violation // empty for none
	}{
		"nothing":               {func(*copyObservation) {}, ""},
		"one of the original":   {func(o *copyObservation) { o.seen["pt_post_6"] = delivery{calls: 2, posts: 1} }, doneTwice},
		"an unknown one":        {func(o *copyObservation) { o.seen["pt_post_5"] = published }, doneTwice},
		"one before the copy":   {func(o *copyObservation) { o.seen["pt_post_7"] = published }, doneTwice},
		"one that is made late": {func(o *copyObservation) { o.makeNow("post_7") }, doneTwice},
		"one that is made":      {func(o *copyObservation) { o.makeNow("post_8") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := new(verdictCollector)
			o := copyObservation{
				restored: seriesNow, posts: map[string]apiv1.Post{}, before: map[string]delivery{"pt_post_6": published},
				seen: map[string]delivery{"pt_post_6": published, "pt_post_8": published},
			}
			for _, p := range []apiv1.Post{
				seriesPost("post_6", "06", schedctl.Failed), seriesPost("post_7", "07", schedctl.Failed), seriesPost("post_8", "08", schedctl.Published),
			} {
				o.posts[p.ID] = p
			}
			o.posts["post_9"] = apiv1.Post{ID: "post_9", Status: schedctl.Draft}
			tt.change(&o)
			n := judgeCopy(v, o)
			if tt.want == "" && (len(v.violations) > 0 || n != 1) || tt.want != "" && v.violations[tt.want] == 0 {
				t.Errorf("%d published, violations: %v, want %q", n, v.faults, tt.want)
			}
		})
	}
}

// makeNow lets the copy make a post after it was restored.
func (o *copyObservation) makeNow(id string) {
	p := o.posts[id]
	p.CreatedAt = apiv1.NewTime(o.restored.Add(time.Minute))
	o.posts[id] = p
}
