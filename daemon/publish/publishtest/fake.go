package publishtest

import (
	"context"
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
type Fake struct {
	platform string

	mu       sync.Mutex // mu guards the fields below
	script   []Response
	onCall   func(context.Context, publish.Request) Response
	held     chan struct{} // closed by release; nil when calls are not held
	requests []publish.Request
	posts    map[string][]schedctl.Receipt // the published posts, by key
}

// Response is how a [Fake] responds to one request.
type Response struct {
	Err      error                // nil to publish
	Accepted bool                 // with Err: the network has published anyway
	Degraded schedctl.Degradation // of the receipt, if it publishes
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
	receipt := f.accept(r)
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
		f.accept(r)
	}
	return &publish.Error{
		Kind: schedctl.KindNetwork, Message: "no response in time", Outcome: schedctl.OutcomeUnknown, Err: ctx.Err(),
	}
}

// Accept publishes the post of a request, as a network does that processes a request
// after its connection was cut.
func (f *Fake) Accept(r publish.Request) { f.accept(r) }

// accept publishes the post and returns its receipt.
func (f *Fake) accept(r publish.Request) schedctl.Receipt {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.posts[r.Key]; len(known) > 0 && r.Account.Options.Bool("idempotent") {
		return known[0]
	}
	receipt := schedctl.Receipt{ID: "fake-" + r.TargetID, URL: "https://fake.example/" + r.TargetID}
	f.posts[r.Key] = append(f.posts[r.Key], receipt)
	return receipt
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
	if known := f.posts[r.Key]; len(known) > 0 {
		return known[0], true, nil
	}
	return schedctl.Receipt{}, false, nil
}
