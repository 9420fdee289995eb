package publishtest

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Suite describes a publisher to [Run].
type Suite struct {
	// New returns the publisher. It must send its requests with the client.
	New func(*http.Client) publish.Publisher

	// Connection returns a valid connection with every required field to the network
	// at the URL.
	Connection func(url string) publish.Connection

	// Network accepts every request of the publisher, including those of Connect. It
	// is nil for a publisher that sends no requests.
	Network http.Handler

	// Receipt is the result of Publish after Network has accepted the post of
	// [TargetID].
	Receipt schedctl.Receipt

	// Key returns the idempotency key of a publishing request. It is nil if the
	// network does not accept keys.
	Key func(r *http.Request, body []byte) string

	// RequestKey is the key of the suite's request; empty for [TargetID]. A
	// [publish.Keyer] needs a key in its own format.
	RequestKey string

	// ConnectCalls are the requests other than GET and HEAD that connecting and
	// refreshing may send, each as "POST /path". None of them may publish.
	ConnectCalls []string

	// Renewed are the given credentials that Refresh replaces. It is nil for a session
	// that Connect adds.
	Renewed []string

	// Lasting means that the credentials of Connection do not expire, although others of
	// the platform do. Refresh must refuse them.
	Lasting bool

	// RetryAt returns when the network allows a retry after a 429 that does not say when.
	// It is nil if the publisher does not know.
	RetryAt func(now time.Time) time.Time

	// Preflight recognizes the requests that only read and that Publish sends before
	// the publishing request. Network always serves them, and they do not count. It is
	// nil for a publisher that sends none.
	Preflight func(*http.Request) bool

	// Doubts means that a refusal proves nothing unless its body has an error of the
	// network, except for 429. Its outcome is then unknown.
	Doubts bool

	// AcceptsAnyBody means that any 2xx response is an acceptance, whatever the body.
	// Otherwise a body without a receipt is an unknown outcome.
	AcceptsAnyBody bool

	// Holds and Refuses are responses of the network that hold an account, and that refuse
	// only the post, a part or a file of it. They are nil for those of [Recordings].
	Holds, Refuses []Recorded

	// Lacks are the purposes of recorded responses for which the account has no request.
	Lacks []publish.Purpose

	// Media is required for a [publish.MediaPublisher], unless its rules for the account
	// of Connection are Refused.
	Media *MediaSuite

	// Threads is required for a [publish.Threader], unless its rules for the account of
	// Connection are Refused.
	Threads *ThreadSuite
}

// TargetID is the target of the suite's request.
const TargetID = "pt_01JX0000000000000000000001"

const content = "Content of the post that no message and no log may ever contain. 🙂"

// Run tests a publisher.
func Run(t *testing.T, s Suite) {
	t.Run("Description", s.testDescription)
	t.Run("Fields", s.testFields)
	t.Run("Publish", s.testPublish)
	t.Run("Concurrent", s.testConcurrent)
	t.Run("Keys", s.testKeys)
	t.Run("Media", s.testMedia)
	t.Run("Threads", s.testThreads)
	if s.Network == nil {
		return
	}
	t.Run("Connect", s.testConnect)
	t.Run("Session", s.testSession)
	t.Run("Responses", s.testResponses)
	t.Run("Recorded", s.testRecorded)
	t.Run("Dropped", s.testDropped)
	t.Run("Echo", s.testEcho)
}

func (s Suite) testDescription(t *testing.T) {
	t.Parallel()
	p := s.New(nil)
	if name := regexp.MustCompile(`^[a-z][a-z0-9]*$`); !name.MatchString(p.Platform()) {
		t.Errorf("platform %q does not match %s", p.Platform(), name)
	}
	seen := map[string]bool{}
	for _, f := range p.Fields() {
		switch {
		case seen[f.Name]:
			t.Errorf("field %s is listed twice", f.Name)
		case !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(f.Name):
			t.Errorf("field %q is not in snake case", f.Name)
		case f.Help == "":
			t.Errorf("field %s has no help", f.Name)
		case f.Option && f.Secret:
			t.Errorf("option %s is secret; options are shown", f.Name)
		}
		seen[f.Name] = true
		testFieldCheck(t, f)
	}
}

// testFieldCheck checks that the error for a wrong value says which field is wrong, and does
// not repeat the value.
func testFieldCheck(t *testing.T, f publish.Field) {
	t.Helper()
	if err := f.CheckValue(""); err != nil {
		t.Errorf("field %s: an empty value is refused: %v", f.Name, err)
	}
	for _, wrong := range []string{"a wrong\x00value", "Bearer a wrong\x00value", "http://wrong value/\x00", strings.Repeat("wrong\x00value", 1000)} {
		err := f.CheckValue(wrong)
		if f.Check != nil && err == nil {
			t.Errorf("field %s: the check accepts %.40q", f.Name, wrong)
		}
		if err != nil && (strings.Contains(err.Error(), "wrong") || len(err.Error()) > 300) {
			t.Errorf("field %s: the error repeats the value, or is long: %v", f.Name, err)
		}
	}
}

// testFields removes required fields and adds unknown ones.
func (s Suite) testFields(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	good := s.Connection(n.url())
	for _, f := range n.publisher.Fields() {
		if !f.Required {
			continue
		}
		c := clone(good)
		delete(c.Credentials, f.Name)
		delete(c.Options, f.Name)
		s.refusesField(t, n, c, f.Name)
	}
	c := clone(good)
	c.Credentials["surplus"] = "x"
	s.refusesField(t, n, c, "surplus")
	c = clone(good)
	c.Options["surplus"] = "x"
	s.refusesField(t, n, c, "surplus")
	c = clone(good)
	c.Options["pacing"] = "often"
	s.refusesField(t, n, c, "pacing")
	if calls := n.takeCalls(); len(calls) > 0 {
		t.Errorf("%d requests were sent before the fields were checked", len(calls))
	}
}

func (s Suite) refusesField(t *testing.T, n *network, c publish.Connection, field string) {
	t.Helper()
	_, err := n.publisher.Connect(t.Context(), c)
	e := n.checkError(t, field, err)
	if e.Kind != schedctl.KindContent || e.Code != field {
		t.Errorf("field %s: got kind %s, code %q; want content and the field", field, e.Kind, e.Code)
	}
}

func (s Suite) testPublish(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	r := n.connect(t)
	for attempt := 1; attempt <= 2; attempt++ {
		r.Attempt = attempt
		receipt, err := n.publisher.Publish(t.Context(), r)
		if err != nil {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		if diff := cmp.Diff(s.Receipt, receipt); diff != "" {
			t.Errorf("attempt %d: receipt (-want +got):\n%s", attempt, diff)
		}
		n.checkCalls(t, "accepted", r, 1)
	}
}

func (s Suite) testConcurrent(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	r := n.connect(t)
	const calls = 20
	errs := make(chan error, calls)
	for range calls {
		go func() {
			_, err := n.publisher.Publish(t.Context(), r)
			errs <- err
		}()
	}
	for range calls {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if s.Network != nil {
		n.checkCalls(t, "concurrent", r, calls)
	}
}

// testConnect checks that connecting only reads. If it sends requests, it must
// distinguish a refusal from a network that cannot be reached.
func (s Suite) testConnect(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	c := s.Connection(n.url())
	profile, err := n.publisher.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if profile.Username == "" {
		t.Error("the profile has no username, which names accounts that have no name")
	}
	calls := n.takeCalls()
	n.checkReads(t, "connecting", calls)
	if len(calls) == 0 {
		return
	}
	for _, a := range []scriptedResponse{
		{status: 401, kind: schedctl.KindAuth}, {status: 403, body: `{"error":"not allowed"}`, kind: schedctl.KindAuth},
		{status: 403, body: firewallPage, kind: schedctl.KindPlatform}, {status: 500, kind: schedctl.KindPlatform},
	} {
		n.respondWith(a.ServeHTTP)
		_, err := n.publisher.Connect(t.Context(), c)
		if e := n.checkError(t, "connect", err); e.Kind != a.kind {
			t.Errorf("connect, status %d with %q: got kind %s, want %s", a.status, a.body, e.Kind, a.kind)
		}
	}
	n.stop()
	_, err = n.publisher.Connect(t.Context(), c)
	if e := n.checkError(t, "connect", err); e.Kind != schedctl.KindNetwork {
		t.Errorf("connect, connection refused: got kind %s, want network", e.Kind)
	}
}

// checkError checks that an error is an [*publish.Error] with a short, printable
// message that contains no secret and no content.
func (n *network) checkError(t *testing.T, during string, err error) *publish.Error {
	t.Helper()
	var e *publish.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v (%T), want a *publish.Error", during, err, err)
	}
	if e.Message == "" || len(e.Message) > 500 || !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message, unicode.IsControl) {
		t.Errorf("%s: message of %d bytes: %q", during, len(e.Message), e.Message)
	}
	if e.Outcome != schedctl.OutcomeNotPublished && e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("%s: outcome %q", during, e.Outcome)
	}
	if !slices.Contains(schedctl.ErrorKinds(), e.Kind) {
		t.Errorf("%s: kind %q", during, e.Kind)
	}
	all := e.Error() + e.Code
	for cause := e.Err; cause != nil; cause = errors.Unwrap(cause) {
		all += cause.Error()
	}
	for _, hidden := range append(n.secrets(), content, content[:16]) {
		if strings.Contains(all, hidden) {
			t.Errorf("%s: %q contains %q", during, all, hidden)
		}
	}
	return e
}

// secrets returns the values of the connection's secret fields and the values that
// Connect added.
func (n *network) secrets() []string {
	list := n.addedCredentials()
	c := n.suite.Connection(n.url())
	for _, f := range n.publisher.Fields() {
		if value := c.Credentials[f.Name]; f.Secret && value != "" {
			list = append(list, value)
		}
	}
	return list
}

// clone copies a connection. The maps of the copy are never nil.
func clone(c publish.Connection) publish.Connection {
	credentials, options := publish.Credentials{}, schedctl.Options{}
	maps.Copy(credentials, c.Credentials)
	maps.Copy(options, c.Options)
	return publish.Connection{Name: c.Name, Credentials: credentials, Options: options}
}

func (s Suite) requestKey() string {
	if s.RequestKey == "" {
		return TargetID
	}
	return s.RequestKey
}

// connect returns the suite's request for an account that is connected to the
// network.
func (n *network) connect(t *testing.T) publish.Request {
	t.Helper()
	c := n.suite.Connection(n.url())
	profile, err := n.publisher.Connect(t.Context(), c)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	n.takeCalls()
	if profile.Credentials != nil {
		n.rememberAdded(c.Credentials, profile.Credentials)
		c.Credentials = profile.Credentials
	}
	return publish.Request{
		TargetID: TargetID, PostID: "post_01JX0000000000000000000002", Content: content,
		Key: n.suite.requestKey(), Attempt: 1,
		PublishAt:   time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC),
		Credentials: c.Credentials,
		Account: schedctl.Account{
			ID: "acct_01JX0000000000000000000003", Platform: n.publisher.Platform(), Name: c.Name,
			Username: profile.Username, ProfileURL: profile.URL, Limits: profile.Limits, Options: c.Options,
			Status: schedctl.AccountConnected,
		},
	}
}
