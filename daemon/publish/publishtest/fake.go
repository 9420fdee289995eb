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

// Fake is a network in memory with scripted answers, for tests of what calls
// publishers. It opens no socket and starts no goroutine, so it also works in a
// testing/synctest bubble. All methods may be called from any goroutine.
//
// An account with the option idempotent is one whose network recognises a
// repeated [publish.Request.Key]: Publish then answers the first receipt again.
type Fake struct {
	platform string

	mu       sync.Mutex // mu guards what follows
	script   []Response
	onCall   func(context.Context, publish.Request) Response
	held     chan struct{} // closed by release; nil when calls are not held
	requests []publish.Request
	posts    map[string][]schedctl.Receipt // what the network has, by key
}

// Response is how a [Fake] answers one call.
type Response struct {
	Err      error                // nil to publish
	Accepted bool                 // with Err: the network has the post all the same
	Degraded schedctl.Degradation // of the receipt, when it publishes
	After    time.Duration        // how long the network takes; a ctx that ends first is an unknown outcome
}

// NewFake returns a fake for the platform that publishes whatever it is given,
// until it is told otherwise.
func NewFake(platform string) *Fake {
	return &Fake{platform: platform, posts: map[string][]schedctl.Receipt{}}
}

// Then queues answers, one for each call. When none is left, calls publish.
func (f *Fake) Then(answers ...Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = append(f.script, answers...)
}

// OnCall sets a function that decides the answer of each call for which none is
// queued. It runs on the caller's goroutine and may block; nil takes it away.
func (f *Fake) OnCall(answer func(context.Context, publish.Request) Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onCall = answer
}

// Hold makes calls wait, after they were recorded, until release is called or
// their ctx ends, which is an unknown outcome. release may be called repeatedly.
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

// Requests returns the calls of Publish so far, in the order they began.
func (f *Fake) Requests() []publish.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// Posts returns how often the network has the post of each key: what people
// would see. More than one is a post published twice.
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
		{Name: "idempotent", Option: true, Help: "whether a repeated key is recognised"},
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
func (f *Fake) Check(a schedctl.Account, content string) publish.Check {
	return publish.Measured(utf8.RuneCountInString(content), a.Limits.MaxCharacters, "characters")
}

// Idempotent implements [publish.Idempotent] by the account's option.
func (f *Fake) Idempotent(a schedctl.Account) bool { return a.Options.Bool("idempotent") }

// Publish records the call and answers as scripted.
func (f *Fake) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	answer, held := f.recordCall(ctx, r)
	if !wait(ctx, held, answer.After) {
		return schedctl.Receipt{}, f.canceledError(ctx, r, answer)
	}
	if answer.Err != nil && !answer.Accepted {
		return schedctl.Receipt{}, answer.Err
	}
	receipt := f.accept(r)
	if answer.Err != nil {
		return schedctl.Receipt{}, answer.Err
	}
	receipt.Degraded = answer.Degraded
	return receipt, nil
}

// recordCall records the call and takes its answer.
func (f *Fake) recordCall(ctx context.Context, r publish.Request) (Response, <-chan struct{}) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	held, onCall := f.held, f.onCall
	if len(f.script) > 0 {
		answer := f.script[0]
		f.script = f.script[1:]
		f.mu.Unlock()
		return answer, held
	}
	f.mu.Unlock()
	if onCall == nil {
		return Response{}, held
	}
	return onCall(ctx, r), held
}

// canceledError is the answer to a call whose ctx ended: nobody knows what became of it.
func (f *Fake) canceledError(ctx context.Context, r publish.Request, answer Response) error {
	if answer.Accepted {
		f.accept(r)
	}
	return &publish.Error{
		Kind: schedctl.KindNetwork, Message: "no answer in time", Outcome: schedctl.OutcomeUnknown, Err: ctx.Err(),
	}
}

// accept gives the network the post and returns its receipt.
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

// wait reports whether the answer came before the end of ctx.
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

// FindingFake is a [Fake] whose network can also be asked what it has.
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
