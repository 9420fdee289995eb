package oracle

import (
	"time"

	"pgregory.net/rapid"
)

// removed is the value of a field of a step that removes what the post has.
const removed = "-"

// polls are the polls of steps; the last ones are invalid.
var polls = []Poll{
	{Options: []string{"yes", "no"}, Runs: time.Hour},
	{Options: []string{"yes", "no"}, Runs: 24 * time.Hour, Multiple: true, HideTotals: true},
	{Options: []string{"a", "b", "c"}, Runs: 5 * time.Minute},
	{Options: []string{"alone"}, Runs: time.Hour},
	{Options: []string{"a", "a"}, Runs: time.Hour},
	{Options: []string{"a", "b"}, Runs: time.Minute},
}

// The values of the extras of steps. The last of each kind is invalid.
var (
	previews     = []string{"auto", "none", "card", "picture", "wrong"}
	warnings     = []string{"", "", "spoilers", removed, " "}
	visibilities = []string{"", "", "unlisted", "direct", removed, "secret"}
	languages    = []string{"", "", "en", "pt-BR", removed, "e"}
)

// mostly draws one of the values, and the last one rarely.
func mostly[T any](t *rapid.T, values []T, what string) T {
	if rapid.IntRange(0, 19).Draw(t, "rarely") == 19 {
		return values[len(values)-1]
	}
	return values[rapid.IntRange(0, len(values)-2).Draw(t, what)]
}

// drawExtras draws threads, first comments, polls, link previews, presentations and
// overrides. Most steps have none.
func drawExtras(t *rapid.T, s *Step) {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	if pick(5) > 2 {
		s.Thread = drawThread(t)
	} else if pick(8) == 7 {
		s.NoThread = true
	}
	switch pick(6) {
	case 4:
		s.Comment = rapid.SampledFrom(texts).Draw(t, "comment")
	case 5:
		s.Comment = removed
	}
	if pick(4) == 3 {
		s.Poll, s.Preview = drawPoll(t), mostly(t, previews, "preview")
	}
	if pick(5) == 4 {
		s.Shown = drawShown(t)
	}
	if pick(4) == 3 {
		s.Own = rapid.SliceOfN(rapid.Custom(drawOwn), 1, 2).Draw(t, "own")
	} else if pick(10) == 9 {
		s.NoOwn = true
	}
}

// drawThread draws the texts of one to three further parts. Seldom, one has no text, or
// there are too many.
func drawThread(t *rapid.T) []string {
	switch rapid.IntRange(0, 24).Draw(t, "length") {
	case 23:
		return []string{"apple", ""}
	case 24:
		return make([]string, 25)
	}
	return rapid.SliceOfN(rapid.SampledFrom(texts), 1, 3).Draw(t, "thread")
}

// drawPoll draws the number of a poll: mostly a valid one, and seldom none.
func drawPoll(t *rapid.T) int {
	switch n := rapid.IntRange(0, 11).Draw(t, "poll"); {
	case n < 9:
		return 1 + n%3
	case n == 9:
		return 4 + rapid.IntRange(0, 2).Draw(t, "wrong poll")
	}
	return -1
}

func drawShown(t *rapid.T) [3]string {
	return [3]string{mostly(t, warnings, "warning"), mostly(t, visibilities, "visibility"), mostly(t, languages, "language")}
}

// drawOwn draws an override.
func drawOwn(t *rapid.T) Own {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	o := Own{On: pick(3)}
	if pick(2) == 1 {
		o.Text = rapid.SampledFrom(texts).Draw(t, "text")
	}
	switch pick(5) {
	case 2, 3:
		o.Thread = drawThread(t)
	case 4:
		o.NoThread = true
	}
	if pick(3) == 2 {
		o.Poll = drawPoll(t)
	}
	switch pick(6) {
	case 4:
		o.Media = []int{pick(3)}
	case 5:
		o.NoMedia = true
	}
	if pick(4) == 3 {
		o.Shown = drawShown(t)
	}
	return o
}

// changes sets the extras of a request.
func (p *player) changes(r *Request, s Step, about *post) {
	if s.NoThread || len(s.Thread) > 0 {
		r.Thread = p.thread(s.Thread)
	}
	switch {
	case s.Comment == removed:
		if r.Op == Edit {
			r.Comment = &Part{}
		}
	case s.Comment != "":
		r.Comment = &Part{Text: s.Comment}
	}
	if r.Poll = pollOf(s.Poll); r.Poll != nil && len(r.Poll.Options) == 0 && r.Op != Edit {
		r.Poll = nil
	}
	if s.Preview != "" {
		r.Preview = p.preview(s.Preview)
	}
	for i, field := range []**string{&r.Warning, &r.Visibility, &r.Language} {
		if value := s.Shown[i]; value == removed {
			*field = new(string)
		} else if value != "" {
			*field = &value
		}
	}
	if s.NoOwn || len(s.Own) > 0 {
		list := []Override{}
		for _, o := range s.Own {
			list = append(list, p.override(r, o, about))
		}
		r.Overrides = &list
	}
}

// thread returns parts with these texts. Those without a text have media, if there are
// any.
func (p *player) thread(texts []string) *[]Part {
	list := []Part{}
	for i, text := range texts {
		part := Part{Text: text}
		if assets := p.model.world.Assets; text == "" && len(assets) > 0 {
			part.Media = []string{assets[i%len(assets)].ID}
		}
		list = append(list, part)
	}
	return &list
}

// pollOf returns a copy of the poll with this number, counted from 1, one without options
// for a negative number, and nil for 0.
func pollOf(n int) *Poll {
	switch {
	case n < 0:
		return &Poll{}
	case n == 0:
		return nil
	}
	poll := polls[(n-1)%len(polls)]
	return &poll
}

func (p *player) preview(name string) *Preview {
	v := &Preview{Mode: name}
	switch name {
	case "card", "picture", "wrong":
		v.Mode, v.URL, v.Title = "card", "https://example.com/", "title"
	}
	if name == "wrong" {
		v.URL = "ftp://example.com/"
	}
	if assets := p.model.world.Assets; name == "picture" && len(assets) > 0 {
		v.Image = assets[0].ID
	}
	return v
}

// override returns an override for one of the accounts of a request or of its post.
func (p *player) override(r *Request, own Own, about *post) Override {
	list := r.accounts()
	if r.Accounts == nil && about != nil {
		list = about.accountIDs()
	}
	o := Override{Account: p.account(own.On).ID, Text: own.Text, Poll: pollOf(own.Poll)}
	if len(list) > 0 {
		o.Account = list[own.On%len(list)]
	}
	if own.NoThread || len(own.Thread) > 0 {
		o.Thread = p.thread(own.Thread)
	}
	if assets := p.model.world.Assets; len(assets) > 0 && (own.NoMedia || len(own.Media) > 0) {
		media := []string{}
		for _, n := range own.Media {
			media = append(media, assets[n%len(assets)].ID)
		}
		o.Media = &media
	}
	for i, field := range []*string{&o.Warning, &o.Visibility, &o.Language} {
		if own.Shown[i] != removed {
			*field = own.Shown[i]
		}
	}
	return o
}
