package publishtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Fake is an in-memory network with scripted responses, for tests of code that calls
// publishers. It opens no socket and starts no goroutine, so it also works in a
// testing/synctest bubble. All methods may be called from any goroutine.
//
// For an account with the option idempotent, the network recognizes a repeated
// [publish.Request.Key]: Publish returns the first receipt again.
//
// The network has threads and polls. It refuses a reply to a post that was removed.
type Fake struct {
	platform string

	mu       sync.Mutex // mu guards the fields below
	script   []Response
	onCall   func(context.Context, publish.Request) Response
	held     chan struct{} // closed by release; nil when calls are not held
	requests []publish.Request
	posts    map[string][]schedctl.Receipt // the published posts, by key; those of threads without Rest
	listed   []FakePost
	threads  publish.ThreadRules
}

// FakePost is a post that a [Fake] has published.
type FakePost struct {
	ID, Key  string
	TargetID string
	Account  string // its id
	Part     int
	Kind     schedctl.PartKind
	Parent   string // the id of the post that it replies to, or empty
	Content  string
	Files    int
	Poll     *schedctl.Poll
	Removed  bool
}

// Response is how a [Fake] responds to one request.
type Response struct {
	Err      error                // nil to publish
	Accepted bool                 // with Err: the network has published anyway
	Degraded schedctl.Degradation // of the receipt, if it publishes; with the code reply, the post has no parent
	After    time.Duration        // how long the network takes; if ctx ends first, the outcome is unknown
}

// NewFake returns a fake for the platform. By default it publishes everything.
func NewFake(platform string) *Fake {
	return &Fake{platform: platform, posts: map[string][]schedctl.Receipt{}}
}

// Then queues responses, one for each request. Without a queued response, requests
// publish.
func (f *Fake) Then(responses ...Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = append(f.script, responses...)
}

// OnCall sets a function that returns the response to each request for which none is
// queued. It runs on the caller's goroutine and may block. Nil removes the function.
func (f *Fake) OnCall(respond func(context.Context, publish.Request) Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onCall = respond
}

// Hold makes requests wait, after they were recorded, until release is called or
// their ctx ends, which is an unknown outcome. release may be called more than once.
func (f *Fake) Hold() (release func()) {
	held := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = held
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.held == held {
			f.held = nil
			close(held)
		}
	}
}

// Requests returns the requests to Publish so far, in the order they started.
func (f *Fake) Requests() []publish.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// Posts returns how many times the network has published each key. More than one
// means that people see the post twice.
func (f *Fake) Posts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := make(map[string]int, len(f.posts))
	for key, receipts := range f.posts {
		counts[key] = len(receipts)
	}
	return counts
}

// SetThreadRules sets the result of ThreadRules. By default each part has a request of its
// own.
func (f *Fake) SetThreadRules(rules publish.ThreadRules) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.threads = rules
}

// Listed returns all published posts, in the order of their publication.
func (f *Fake) Listed() []FakePost {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.listed)
}

// Remove removes the post with this id, as its author does on the network.
func (f *Fake) Remove(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.listed {
		if f.listed[i].ID == id {
			f.listed[i].Removed = true
		}
	}
}

// ThreadRules implements [publish.Threader].
func (f *Fake) ThreadRules(schedctl.Account) publish.ThreadRules {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.threads
}

// PollRules implements [publish.Poller]. There are no limits.
func (f *Fake) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{WithMedia: true}
}

// Platform implements [publish.Publisher].
func (f *Fake) Platform() string { return f.platform }

// Fields lists the credential "token" and the option "idempotent".
func (f *Fake) Fields() []publish.Field {
	return []publish.Field{
		{Name: "token", Secret: true, Help: "anything but \"refused\""},
		{Name: "idempotent", Option: true, Help: "whether a repeated key is recognized"},
	}
}

// Connect accepts every token but "refused", which is an error of kind auth.
func (f *Fake) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if c.Credentials["token"] == "refused" {
		return publish.Profile{}, &publish.Error{
			Kind: schedctl.KindAuth, Message: "the token is refused", HTTPStatus: 401, Outcome: schedctl.OutcomeNotPublished,
		}
	}
	name := c.Name
	if name == "" {
		name = "someone"
	}
	return publish.Profile{Username: name, DisplayName: name, URL: "https://fake.example/" + name}, nil
}

// Check counts Unicode code points against the account's limit.
func (f *Fake) Check(a schedctl.Account, content publish.Content) publish.Check {
	return publish.Measured(utf8.RuneCountInString(content.Text), a.Limits.MaxCharacters, "characters")
}

// Idempotent implements [publish.Idempotent] by the account's option.
func (f *Fake) Idempotent(a schedctl.Account) bool { return a.Options.Bool("idempotent") }

// Publish records the request and responds as scripted.
func (f *Fake) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	response, held := f.recordCall(ctx, r)
	if !wait(ctx, held, response.After) {
		return schedctl.Receipt{}, f.canceledError(ctx, r, response)
	}
	if response.Err != nil && !response.Accepted {
		return schedctl.Receipt{}, response.Err
	}
	receipt, refusal := f.accept(r, response.Degraded)
	if refusal != nil {
		return schedctl.Receipt{}, refusal
	}
	if response.Err != nil {
		return schedctl.Receipt{}, response.Err
	}
	receipt.Degraded = response.Degraded
	return receipt, nil
}

// recordCall records the request and returns its response.
func (f *Fake) recordCall(ctx context.Context, r publish.Request) (Response, <-chan struct{}) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	held, onCall := f.held, f.onCall
	if len(f.script) > 0 {
		response := f.script[0]
		f.script = f.script[1:]
		f.mu.Unlock()
		return response, held
	}
	f.mu.Unlock()
	if onCall == nil {
		return Response{}, held
	}
	return onCall(ctx, r), held
}

// canceledError is the error of a request whose ctx ended. Its outcome is unknown.
func (f *Fake) canceledError(ctx context.Context, r publish.Request, response Response) error {
	if response.Accepted {
		_, _ = f.accept(r, response.Degraded)
	}
	return &publish.Error{
		Kind: schedctl.KindNetwork, Message: "no response in time", Outcome: schedctl.OutcomeUnknown, Err: ctx.Err(),
	}
}

// Accept publishes the post of a request, as a network does that processes a request
// after its connection was cut.
func (f *Fake) Accept(r publish.Request) { _, _ = f.accept(r, schedctl.Degradation{}) }

// accept publishes the post, with the rest of its thread, and returns its receipt. It
// refuses a reply to a post that was removed.
func (f *Fake) accept(r publish.Request, degraded schedctl.Degradation) (schedctl.Receipt, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, found := f.known(r); found && r.Account.Options.Bool("idempotent") {
		return known, nil
	}
	post := FakePost{Key: r.Key, Part: r.Part, Kind: r.Kind, Content: r.Content, Files: len(r.Files), Poll: r.Poll}
	if r.Parent != nil && degraded.Code != schedctl.DegradedReply {
		post.Parent = r.Parent.ID
		if !f.shows(post.Parent) {
			return schedctl.Receipt{}, publish.ParentMissing(404)
		}
	}
	receipt := f.list(r, post)
	parent := receipt.ID
	for i, p := range r.Rest {
		rest := f.list(r, FakePost{Key: p.Key, Part: r.Part + 1 + i, Kind: p.Kind, Parent: parent, Content: p.Content, Files: len(p.Files)})
		receipt.Rest, parent = append(receipt.Rest, rest), rest.ID
	}
	return receipt, nil
}

// list adds a post and returns its receipt. The caller holds mu.
func (f *Fake) list(r publish.Request, p FakePost) schedctl.Receipt {
	name := r.TargetID
	if p.Part > 0 {
		name = fmt.Sprintf("%s-%d", r.TargetID, p.Part)
	}
	p.ID, p.TargetID, p.Account = "fake-"+name, r.TargetID, r.Account.ID
	receipt := schedctl.Receipt{ID: p.ID, URL: "https://fake.example/" + name, Ref: "ref-" + name}
	f.posts[p.Key] = append(f.posts[p.Key], receipt)
	f.listed = append(f.listed, p)
	return receipt
}

// known returns the receipt of a request that was accepted before. The caller holds mu.
func (f *Fake) known(r publish.Request) (receipt schedctl.Receipt, found bool) {
	if len(f.posts[r.Key]) == 0 {
		return receipt, false
	}
	receipt = f.posts[r.Key][0]
	for _, p := range r.Rest {
		if len(f.posts[p.Key]) > 0 {
			receipt.Rest = append(receipt.Rest, f.posts[p.Key][0])
		}
	}
	return receipt, true
}

// shows reports whether a post exists. The caller holds mu.
func (f *Fake) shows(id string) bool {
	return slices.ContainsFunc(f.listed, func(p FakePost) bool { return p.ID == id && !p.Removed })
}

// wait reports whether the response came before ctx ended.
func wait(ctx context.Context, held <-chan struct{}, after time.Duration) bool {
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return false
		}
	}
	if after > 0 {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// FindingFake is a [Fake] whose network can also be searched for posts.
type FindingFake struct{ *Fake }

// Find implements [publish.Finder].
func (f FindingFake) Find(_ context.Context, r publish.Request, _ time.Time) (schedctl.Receipt, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	receipt, found := f.known(r)
	return receipt, found, nil
}
