package main

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/recurrence"
)

// seriesObservation is everything known about series once the daemon is idle.
type seriesObservation struct {
	posts  map[string]apiv1.Post   // posts of the daemon, by id
	series map[string]apiv1.Series // series of the daemon, by id
	seen   map[string]delivery     // posts that the networks received, by target
	until  time.Time               // sweeps that were due at this time are done
}

// occurrenceKey identifies an occurrence.
type occurrenceKey struct{ series, local string }

// judge compares the observations with what clients did.
func (j *seriesObservation) judge(v *verdictCollector, stories []*seriesStory) {
	known := map[string]*seriesStory{}
	for _, s := range stories {
		known[s.series.ID] = s
		j.judgeSeries(v, s)
	}
	j.judgePosts(v, known)
	j.judgeNetworks(v)
	j.judgeDays(v, known)
	for _, o := range j.missing(stories) {
		v.violation(lostRecord, "series %s has no post for its occurrence %s", o.series, o.local)
	}
}

// judgeSeries checks that a series is as acknowledged, and so are the posts that were
// changed alone.
func (j *seriesObservation) judgeSeries(v *verdictCollector, s *seriesStory) {
	shown, found := j.series[s.series.ID]
	switch {
	case s.deleted && found:
		v.violation(doneTwice, "series %s was deleted, and is back", s.series.ID)
	case s.deleted:
	case !found:
		v.violation(lostRecord, "series %s was acknowledged and is missing", s.series.ID)
	case shown.Content != s.series.Content || shown.Rule != s.series.Rule || shown.State != s.series.State && !s.continued:
		v.violation(lostRecord, "series %s was acknowledged as %q, %s, %s, and is %q, %s, %s", s.series.ID,
			s.series.Content, s.series.Rule, s.series.State, shown.Content, shown.Rule, shown.State)
	}
	for id := range s.canceled {
		if p := j.posts[id]; p.Status != schedctl.Canceled {
			v.violation(doneTwice, "post %s was canceled, and is %q", id, p.Status)
		}
	}
	for id, content := range s.edited {
		p, found := j.posts[id]
		switch over := s.deleted || s.series.State == schedctl.SeriesEnded && !s.continued; {
		case !found && !over:
			v.violation(lostRecord, "post %s was changed alone and is missing", id)
		case found && p.Content != content:
			v.violation(lostRecord, "post %s was changed alone to %q, and is %q", id, content, p.Content)
		}
	}
}

// judgePosts checks that each post is an occurrence that may exist.
func (j *seriesObservation) judgePosts(v *verdictCollector, known map[string]*seriesStory) {
	posts := map[occurrenceKey]string{}
	for id, p := range j.posts {
		if p.SeriesID == nil || known[*p.SeriesID] == nil {
			v.violation(doneTwice, "no request was acknowledged with the series of post %s", id)
			continue
		}
		s, at := known[*p.SeriesID], occurrenceKey{*p.SeriesID, *p.Occurrence}
		if other := posts[at]; other != "" {
			v.violation(doneTwice, "occurrence %s of series %s has posts %s and %s", at.local, at.series, other, id)
		}
		posts[at] = id
		j.judgePost(v, s, &p)
	}
}

func (j *seriesObservation) judgePost(v *verdictCollector, s *seriesStory, p *apiv1.Post) {
	waits := p.Status == schedctl.Scheduled || p.Status == schedctl.Publishing
	over := s.deleted || s.series.State == schedctl.SeriesEnded && !s.continued
	stopped := over || s.series.State == schedctl.SeriesPaused && !p.Detached
	switch {
	case s.gone[*p.Occurrence] && (waits || p.Status == schedctl.Published):
		v.violation(doneTwice, "occurrence %s of series %s was left out, and its post is %s", *p.Occurrence, s.series.ID, p.Status)
	case stopped && waits:
		v.violation(doneTwice, "series %s is %s (deleted %t), and post %s is %s", s.series.ID, s.series.State, s.deleted, p.ID, p.Status)
	case stopped && p.Status == schedctl.Published && p.PublishAt.After(s.stopped):
		v.violation(doneTwice, "series %s stopped at %s, and post %s was published at %s", s.series.ID, s.stopped, p.ID, p.PublishAt)
	case waits && !p.Detached && p.Content != s.series.Content:
		v.violation(lostRecord, "series %s has the text %q, and its post %s has %q", s.series.ID, s.series.Content, p.ID, p.Content)
	}
}

// judgeNetworks checks that the networks have posts of the daemon only, and each once.
func (j *seriesObservation) judgeNetworks(v *verdictCollector) {
	contents := map[string]string{}
	for _, p := range j.posts {
		for _, t := range p.Targets {
			contents[t.ID] = p.Content
			if t.Status == schedctl.Published && j.seen[t.ID].posts == 0 {
				v.violation(lostRecord, "target %s is published, and the network does not have it", t.ID)
			}
		}
	}
	for id, d := range j.seen {
		content, found := contents[id]
		switch {
		case d.posts > 1:
			v.violation(doneTwice, "target %s was posted %d times", id, d.posts)
		case d.posts > 0 && !found:
			v.violation(wrongStatus, "a network has target %s, which belongs to no post", id)
		case d.posts > 0 && d.contents[0] != content:
			v.violation(wrongStatus, "target %s: the network has %q, the daemon reports %q", id, d.contents[0], content)
		}
	}
}

// judgeDays checks that a series with one occurrence a day has published at most one on
// each day, apart from posts that were changed alone.
func (j *seriesObservation) judgeDays(v *verdictCollector, known map[string]*seriesStory) {
	days := map[occurrenceKey]string{}
	for id, p := range j.posts {
		if p.SeriesID == nil || p.Detached || known[*p.SeriesID] == nil || !known[*p.SeriesID].daily {
			continue
		}
		for _, t := range p.Targets {
			if j.seen[t.ID].posts == 0 {
				continue
			}
			at := occurrenceKey{*p.SeriesID, schedctl.LocalTime(*p.Occurrence).Day()}
			if other := days[at]; other != "" && other != id {
				v.violation(doneTwice, "series %s has published posts %s and %s on %s", at.series, other, id, at.local)
			}
			days[at] = id
		}
	}
}

// missing returns the occurrences that must have a post and have none.
func (j *seriesObservation) missing(stories []*seriesStory) (list []occurrenceKey) {
	made := map[occurrenceKey]bool{}
	for _, p := range j.posts {
		if p.SeriesID != nil {
			made[occurrenceKey{*p.SeriesID, *p.Occurrence}] = true
		}
	}
	for _, s := range stories {
		if s.deleted || s.series.State != schedctl.SeriesActive {
			continue
		}
		loc, err := time.LoadLocation(s.series.Timezone)
		if err != nil {
			continue // the daemon knew the zone
		}
		rule, _, err := recurrence.Parse(s.series.Rule, schedctl.LocalTime(s.series.Start), loc)
		if err != nil {
			continue
		}
		left := map[string]bool{}
		for _, local := range j.series[s.series.ID].Exdates {
			left[local] = true
		}
		until := j.until.AddDate(0, 0, seriesAhead)
		for _, local := range rule.All(schedctl.LocalTimeOf(s.since.In(loc)), schedctl.LocalTimeOf(until.In(loc))) {
			at, _ := local.In(loc)
			key := occurrenceKey{s.series.ID, string(local)}
			if at.After(s.since) && !at.After(until) && !made[key] && !left[key.local] && !s.gone[key.local] {
				list = append(list, key)
			}
		}
	}
	return list
}
