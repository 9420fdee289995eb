package oracle

import (
	"strings"
	"time"

	"pgregory.net/rapid"
)

// Check plays a random script on a subject and fails the test after the first step with
// an unexpected result. Scripts have on average twice as many steps as the flag
// -rapid.steps says.
func Check(t *rapid.T, subject Subject) {
	p := newPlayer(subject)
	t.Repeat(map[string]func(*rapid.T){
		"some steps": func(t *rapid.T) {
			for _, step := range someSteps.Draw(t, "steps") {
				if err := p.playStep(step); err != nil {
					t.Fatal(err)
				}
			}
		},
	})
}

var someSteps = rapid.SliceOfN(rapid.Custom(drawStep), 1, 3)

// verbs lists the verbs with their weights. rapid shrinks to the first ones.
var verbs = weighted(map[Verb]int{
	Verb(Create): 24, Pass: 18, Verb(Edit): 10, Verb(Schedule): 5, Verb(Unschedule): 4, Verb(Publish): 7, Verb(Cancel): 7,
	Verb(Retry): 8, Verb(Delete): 5, Verb(Get): 1, Verb(Timeline): 3, Verb(List): 4, AllPages: 7, NextPage: 4, ForeignCursor: 1,
	Repeat: 6, Verb(Validate): 2, SetMood: 10, Restart: 2, Verb(Disconnect): 1, Verb(Reconnect): 2, Verb(Verify): 2,
}, []Verb{
	Verb(Create), Pass, Verb(Publish), Verb(Edit), Verb(Cancel), Verb(Schedule), Verb(Unschedule), Verb(Retry), Verb(Delete),
	Verb(Get), Verb(Timeline), Verb(List), AllPages, NextPage, ForeignCursor, Repeat, Verb(Validate), SetMood, Restart,
	Verb(Disconnect), Verb(Reconnect), Verb(Verify),
})

func weighted(weight map[Verb]int, order []Verb) (all []Verb) {
	for _, v := range order {
		for range weight[v] {
			all = append(all, v)
		}
	}
	return all
}

var (
	texts    = []string{"apple", "Apple pie", "BANANA", "pineapple", "straw berry"}
	badTexts = []string{"", " \n\t", strings.Repeat("é", 5001)}
	moods    = []Mood{Accepting, Accepting, Accepting, Slow, Hanging, Refusing, Down, Down, Limiting, Dropping, NoResponse, Locked, Changing, Orphaning}
	statuses = []string{"draft", "scheduled", "publishing", "published", "failed", "canceled"}
	sorts    = []string{"", "created_at", "publish_at", "-publish_at", "-created_at"}
	searches = []string{"", "", "", "apple", "A", "e P", "nothing"}
	spans    = []time.Duration{
		time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 40 * time.Minute, 2 * time.Hour, 23 * time.Hour, 25 * time.Hour,
	}
)

func drawStep(t *rapid.T) Step {
	s := Step{Do: rapid.SampledFrom(verbs).Draw(t, "do")}
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	switch s.Do {
	case Pass:
		s.In = drawSpan(t)
		return s
	case Restart:
		if pick(2) == 1 {
			s.In = drawSpan(t)
		}
		return s
	case SetMood:
		s.On, s.Mood = pick(3), rapid.SampledFrom(moods).Draw(t, "mood")
		return s
	case Verb(Disconnect), Verb(Reconnect), Verb(Verify):
		s.On = pick(3)
		return s
	case NextPage, ForeignCursor:
		return s
	}
	// Mostly the key with all permissions: requests with other keys are usually refused.
	s.Key = max(0, pick(12)-7)
	switch s.Do {
	case Repeat:
		s.Post = pick(6)
	case Verb(List), AllPages:
		drawQuery(t, &s)
	default:
		drawRequest(t, &s)
	}
	return s
}

func drawSpan(t *rapid.T) time.Duration {
	return rapid.SampledFrom(spans).Draw(t, "span") + time.Duration(rapid.IntRange(0, 3).Draw(t, "ms"))*time.Millisecond
}

func drawRequest(t *rapid.T, s *Step) {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	op := Op(s.Do)
	if takesPost(op) {
		s.Post, s.Any = pick(8), pick(6) == 5
		s.Match = rapid.SampledFrom([]Match{"", "", "", "", Any, Current, Stale}).Draw(t, "match")
	}
	if takesKey(op) {
		s.Once = max(0, pick(6)-3)
	}
	if op == Retry {
		s.Force = pick(3) == 2
		s.Targets = rapid.SliceOfN(rapid.IntRange(0, 2), 0, 2).Draw(t, "targets")
	}
	if !takesBody(op) {
		return
	}
	drawAccounts(t, s)
	drawMedia(t, s)
	if op == Create || op == Edit || op == Validate {
		drawExtras(t, s)
	}
	s.Text = rapid.SampledFrom(texts).Draw(t, "text")
	switch {
	case pick(30) == 29:
		s.Text = rapid.SampledFrom(badTexts).Draw(t, "text")
	case op == Edit && pick(2) == 1:
		s.Text = ""
	}
	whens := []When{Absent, Later, Later, Later, Now, Now, Past, Null, InSlot, InSlot}
	if op != Create {
		whens = []When{Absent, Absent, Later, Later, Later, Later, Past, Now, Null}
	}
	s.When = rapid.SampledFrom(whens).Draw(t, "when")
	if s.When == Later || s.When == Past || s.When == InSlot {
		s.In = drawSpan(t)
	}
}

// drawAccounts draws distinct accounts, mostly from the first workspace.
func drawAccounts(t *rapid.T, s *Step) {
	s.Accounts = rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 0, 3, rapid.ID).Draw(t, "accounts")
	switch rapid.IntRange(0, 24).Draw(t, "fault") {
	case 22:
		s.Accounts = append(s.Accounts, 3)
	case 23:
		s.Accounts = append(s.Accounts, s.Accounts...)
	case 24:
		s.None = true
	}
	if s.Key > 0 && rapid.Bool().Draw(t, "own") {
		s.Accounts = []int{3} // usable with the key of the other workspace
	}
}

// drawMedia draws media, mostly none, and seldom an asset twice or one of the other
// workspace.
func drawMedia(t *rapid.T, s *Step) {
	switch rapid.IntRange(0, 9).Draw(t, "media") {
	case 6, 7, 8:
		s.Media = rapid.SliceOfN(rapid.IntRange(0, 3), 1, 3).Draw(t, "assets")
	case 9:
		s.NoMedia = true
	}
}

func drawQuery(t *rapid.T, s *Step) {
	s.Query = Query{
		Statuses: rapid.SliceOfNDistinct(rapid.SampledFrom(statuses), 0, 3, rapid.ID).Draw(t, "statuses"),
		Text:     rapid.SampledFrom(searches).Draw(t, "text"),
		Sort:     rapid.SampledFrom(sorts).Draw(t, "sort"),
		Limit:    rapid.IntRange(1, 5).Draw(t, "limit"),
	}
	s.On = max(0, rapid.IntRange(0, 6).Draw(t, "account")-3)
	if s.Do != AllPages {
		s.Query.Offset = max(0, rapid.IntRange(0, 6).Draw(t, "offset")-4)
	}
	for i := range s.Between {
		if rapid.IntRange(0, 3).Draw(t, "bounded") == 3 {
			s.Between[i] = drawSpan(t) * time.Duration(rapid.SampledFrom([]int{1, -1}).Draw(t, "sign"))
		}
	}
}
