package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Play plays a script on a subject. Its error names the step and the unexpected result.
func Play(subject Subject, script Script) error {
	p := newPlayer(subject)
	for _, step := range script {
		if err := p.playStep(step); err != nil {
			return err
		}
	}
	return nil
}

// player plays one script.
type player struct {
	subject  Subject
	model    *model
	played   Script
	requests []Request
	lists    *openList
}

// openList is a list with the cursor of its next page.
type openList struct {
	request Request
	behind  listPosition
	cursor  string
}

func newPlayer(subject Subject) *player {
	return &player{subject: subject, model: newModel(subject.World(), subject.Now())}
}

// playStep plays a step. On failure the error contains the whole script so far.
func (p *player) playStep(s Step) error {
	p.played = append(p.played, s)
	if err := p.step(s); err != nil {
		return fmt.Errorf("after step %d of:\n%v%s", len(p.played), p.played, p.withNames(err.Error()))
	}
	return nil
}

// step executes one step and compares the whole state.
func (p *player) step(s Step) error {
	if err := p.act(s); err != nil {
		return err
	}
	ordered := len(p.model.events)
	exchanges := p.subject.Settle()
	sight := p.subject.Look()
	if err := p.deliveries(exchanges, sight.Events); err != nil {
		return err
	}
	if err := p.model.judgeNeglected(p.subject.Now()); err != nil {
		return err
	}
	return p.model.compare(sight, ordered)
}

// deliveries checks the daemon's own actions in order of time: calls, and targets that
// failed without a call.
func (p *player) deliveries(exchanges []Exchange, events []Event) error {
	for _, e := range events {
		if (e.Type != "post.failed" && e.Type != "post.comment_failed") || (e.Error.Kind != "missed" && e.Error.Kind != "auth") {
			continue
		}
		n := before(e, exchanges)
		if err := p.exchanged(exchanges[:n]); err != nil {
			return err
		}
		exchanges = exchanges[n:]
		if err := p.model.judgeGivenUp(e); err != nil {
			return err
		}
	}
	return p.exchanged(exchanges)
}

func (p *player) exchanged(list []Exchange) error {
	for _, x := range list {
		if err := p.model.judgeExchange(x); err != nil {
			return err
		}
	}
	return nil
}

// before returns how many exchanges precede the failure of a target without a call: all
// older ones, and those of the target, such as an unfinished call found at a start.
func before(e Event, exchanges []Exchange) (n int) {
	for i, x := range exchanges {
		if x.At.Before(e.At) || (x.Target == e.Target && x.At.Equal(e.At)) {
			n = i + 1
		}
	}
	return n
}

// act executes a step.
func (p *player) act(s Step) error {
	switch s.Do {
	case Pass:
		p.subject.Pass(s.In)
	case Restart:
		p.subject.Restart(s.In)
		p.model.since = p.subject.Now()
	case SetMood:
		p.subject.Mood(p.account(s.On).ID, s.Mood)
	case Verb(Disconnect), Verb(Reconnect), Verb(Verify):
		return p.change(AccountOp(s.Do), p.account(s.On))
	case AllPages:
		return p.readAllPages(p.resolve(s))
	case NextPage:
		return p.nextPage()
	case ForeignCursor:
		return p.useForeignCursor()
	case Repeat:
		return p.repeat(s)
	case Verb(List):
		r := p.resolve(s)
		return p.list(r, nil)
	default:
		return p.request(p.resolve(s))
	}
	return nil
}

// request sends a request and checks the response.
func (p *player) request(r Request) error {
	p.requests = append(p.requests, r)
	return p.model.judgeResponse(r, p.subject.Do(r), p.subject.Now())
}

// repeat sends an earlier request again.
func (p *player) repeat(s Step) error {
	if len(p.requests) == 0 {
		return nil
	}
	r := p.requests[len(p.requests)-1-s.Post%len(p.requests)]
	if p.model.world.Full {
		r.Key = s.Key % len(p.model.world.Keys)
	}
	return p.request(r)
}

// list reads one page.
func (p *player) list(r Request, behind *listPosition) error {
	got := p.subject.Do(r)
	if err := p.model.judgeResponse(r, got, p.subject.Now()); err != nil || got.Code != "" {
		return err
	}
	k := p.model.world.Keys[r.Key]
	if len(k.Accounts) > 0 {
		return nil // its pages may be short; see readAllPages
	}
	last, err := p.model.judgePage(r, behind, got)
	if p.lists = nil; got.Next != "" {
		p.lists = &openList{request: r, behind: last, cursor: got.Next}
	}
	return err
}

// nextPage reads the next page of the last list in its current state.
func (p *player) nextPage() error {
	if p.lists == nil {
		return nil
	}
	h := *p.lists
	h.request.Cursor, h.request.Query.Offset = h.cursor, 0
	return p.list(h.request, &h.behind)
}

// useForeignCursor uses a cursor with a list that it was not made for.
func (p *player) useForeignCursor() error {
	if p.lists == nil || !p.model.world.Full {
		return nil
	}
	r := p.lists.request
	r.Cursor, r.Query.Offset, r.Query.Text = p.lists.cursor, 0, r.Query.Text+"x"
	return refused([]string{badCursor}, p.subject.Do(r))
}

// readAllPages reads all pages of a list.
func (p *player) readAllPages(r Request) error {
	k := p.model.world.Keys[r.Key]
	var got []string
	for pages := 0; ; pages++ {
		a := p.subject.Do(r)
		if err := p.model.judgeResponse(r, a, p.subject.Now()); err != nil || a.Code != "" {
			return err
		}
		for _, post := range a.Posts {
			got = append(got, post.ID)
		}
		if a.Next == "" {
			break
		}
		if pages > len(p.model.posts) {
			return fmt.Errorf("the list does not end")
		}
		r.Cursor, r.Query.Offset = a.Next, 0
	}
	var want []string
	for _, at := range p.model.sorted(k, r.Query) {
		want = append(want, p.model.posts[at.created].ID)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the list has %v\nwant %v", got, want)
	}
	return nil
}

// change changes an account as its owner would.
func (p *player) change(op AccountOp, a *account) error {
	got, want := p.subject.Account(op, a.ID), ""
	now := p.subject.Now()
	was := a.Status
	switch op {
	case Disconnect:
		a.Status = "disconnected"
	case Reconnect:
		a.Status = "connected"
	case Verify:
		if want = invalid; was != "disconnected" {
			a.Status, want = "connected", ""
		}
	}
	if a.Status != was || !a.disrupted.IsZero() {
		a.busy = now
	}
	if got == "" && op != Disconnect {
		a.recover()
	}
	if got != want {
		return fmt.Errorf("%s returned %q, want %q", op, got, want)
	}
	return nil
}

func (p *player) account(n int) *account {
	list := p.model.world.Accounts
	return p.model.accounts[list[n%len(list)].ID]
}

// withNames replaces ids by readable names.
func (p *player) withNames(text string) string {
	var names []string
	for i, post := range p.model.posts {
		for _, t := range post.targets {
			names = append(names, t.ID, fmt.Sprintf("target %d/%s", i, t.Account))
		}
		names = append(names, post.ID, fmt.Sprint("post ", i))
	}
	text = strings.NewReplacer(names...).Replace(text)
	names = nil
	for i, a := range p.model.world.Accounts {
		names = append(names, a.ID, fmt.Sprint("account ", i))
	}
	for i, k := range p.model.world.Keys {
		names = append(names, k.Workspace, fmt.Sprint("workspace of key ", i))
	}
	text = strings.NewReplacer(names...).Replace(text)
	return strings.ReplaceAll(text, " +0000 UTC", "") + "\nat " + p.subject.Now().UTC().Format(time.DateTime+".000") + "\n"
}
