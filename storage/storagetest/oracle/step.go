package oracle

import (
	"fmt"
	"strings"
	"time"
)

// Script is a sequence of steps.
type Script []Step

// Step is one action. Posts and accounts are referred to by numbers, so that a step is
// meaningful after any steps: Post 0 is the newest post in a state that suits the step,
// or with Any the newest post ever, and numbers are taken modulo the number of
// candidates.
type Step struct {
	Do   Verb
	Key  int
	Post int
	Any  bool

	Text    string
	Media   []int // nil for not given
	NoMedia bool  // an empty list of media

	Thread   []string  // texts of further parts; nil for not given
	NoThread bool      // an empty thread
	Comment  string    // the text of a first comment, or removed
	Poll     int       // 1 + index of polls; negative for null
	Preview  string    // the name of a link preview
	Shown    [3]string // content warning, visibility and language; removed for null
	Own      []Own     // overrides; nil for not given
	NoOwn    bool      // an empty list of overrides

	Accounts []int // nil for not given
	None     bool  // an empty list of accounts
	When     When
	In       time.Duration // with Later: from now; with Pass and Restart: duration
	Targets  []int
	Force    bool
	Match    Match
	Once     int // number of an Idempotency-Key; 0 for none

	Query   Query // Account, After and Before are replaced by the next two fields
	On      int   // 1 + index of the account to list; 0 for all
	Between [2]time.Duration
	Mood    Mood
}

// Own is an override in a step. Its fields are like those of a step.
type Own struct {
	On       int // index of an account of the post
	Text     string
	Media    []int
	NoMedia  bool
	Thread   []string
	NoThread bool
	Poll     int
	Shown    [3]string
}

// Verb is the action of a step: an [Op], an [AccountOp], or one of those below.
type Verb string

// Actions other than single requests.
const (
	Repeat        Verb = "repeat" // repeat the request made Post requests ago, with this step's key
	AllPages      Verb = "walk"   // read all pages of a list
	NextPage      Verb = "more"   // read the next page of the last list, in its current state
	ForeignCursor Verb = "stray"  // use that cursor with another list
	SetMood       Verb = "mood"   // set the mood of the network of account On
	Pass          Verb = "pass"
	Restart       Verb = "restart"
)

// When is a kind of publish_at in a step.
type When string

// The kinds of publish_at.
const (
	Absent When = ""
	Later  When = "later"
	Past   When = "gone" // in the past
	Now    When = "now"
	Null   When = "null"
	InSlot When = "next-slot" // of a new post; otherwise as Later
)

// Match is an If-Match in a step.
type Match string

// The kinds of If-Match.
const (
	NoMatch Match = ""
	Any     Match = "*"
	Current Match = "current"
	Stale   Match = "stale"
)

// Mood is how a network responds to calls.
type Mood string

// The moods.
const (
	Accepting  Mood = "accepting"
	Slow       Mood = "slow"      // accepts after 12 seconds
	Hanging    Mood = "hanging"   // never responds
	Refusing   Mood = "refusing"  // refuses the content
	Down       Mood = "down"      // is unreachable
	Limiting   Mood = "limiting"  // limits the rate; retry after half an hour
	Dropping   Mood = "dropping"  // the connection breaks before the post is published
	NoResponse Mood = "mute"      // the connection breaks after the post is published
	Locked     Mood = "locked"    // refuses the account
	Changing   Mood = "changing"  // publishes with another visibility
	Orphaning  Mood = "orphaning" // publishes replies without their parent
)

// String returns the steps, one a line.
func (s Script) String() string {
	var b strings.Builder
	for i, step := range s {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, step.literal())
	}
	return b.String()
}

// GoString returns the step as rapid prints it.
func (s Step) GoString() string { return s.literal() }

// literal returns the step as a composite literal without its zero fields.
func (s Step) literal() string {
	var f []string
	add := func(given bool, format string, args ...any) {
		if given {
			f = append(f, fmt.Sprintf(format, args...))
		}
	}
	add(true, "Do: %q", string(s.Do))
	add(s.Key != 0, "Key: %d", s.Key)
	add(s.Post != 0, "Post: %d", s.Post)
	add(s.Any, "Any: true")
	add(s.Text != "", "Text: %q", clip(s.Text))
	add(len(s.Media) > 0, "Media: %#v", s.Media)
	add(s.NoMedia, "NoMedia: true")
	add(len(s.Thread) > 0, "Thread: %#v", s.Thread)
	add(s.NoThread, "NoThread: true")
	add(s.Comment != "", "Comment: %q", s.Comment)
	add(s.Poll != 0, "Poll: %d", s.Poll)
	add(s.Preview != "", "Preview: %q", s.Preview)
	add(s.Shown != [3]string{}, "Shown: %#v", s.Shown)
	add(len(s.Own) > 0, "Own: %#v", s.Own)
	add(s.NoOwn, "NoOwn: true")
	add(len(s.Accounts) > 0, "Accounts: %#v", s.Accounts)
	add(s.None, "None: true")
	add(s.When != "", "When: %q", string(s.When))
	add(s.In != 0, "In: %d /* %[1]v */", s.In)
	add(len(s.Targets) > 0, "Targets: %#v", s.Targets)
	add(s.Force, "Force: true")
	add(s.Match != "", "Match: %q", string(s.Match))
	add(s.Once != 0, "Once: %d", s.Once)
	add(s.On != 0, "On: %d", s.On)
	add(s.Mood != "", "Mood: %q", string(s.Mood))
	q := s.Query
	if s.Do == Verb(List) || s.Do == AllPages {
		var list []string
		f, list = list, f
		add(len(q.Statuses) > 0, "Statuses: %#v", q.Statuses)
		add(q.Text != "", "Text: %q", q.Text)
		add(q.Sort != "", "Sort: %q", q.Sort)
		add(q.Limit != 0, "Limit: %d", q.Limit)
		add(q.Offset != 0, "Offset: %d", q.Offset)
		f = append(list, "Query: oracle.Query{"+strings.Join(f, ", ")+"}")
	}
	add(s.Between != [2]time.Duration{}, "Between: [2]time.Duration{%d, %d}", s.Between[0], s.Between[1])
	return "{" + strings.Join(f, ", ") + "}"
}

// clip shortens very long test texts.
func clip(text string) string {
	if len(text) > 80 {
		return text[:20] + "…"
	}
	return text
}
