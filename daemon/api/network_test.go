package api_test

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// network is a fake whose Connect can be given a result. A post may set its option
// mood to calm or loud. With loud each character counts twice.
type network struct {
	*publishtest.Fake

	mu       sync.Mutex // mu guards what follows
	refusal  error
	panics   bool
	started  chan struct{} // closed by the first call, when calls are held
	held     <-chan struct{}
	asked    int
	thrown   string // by Connect
	checked  int
	checking func() // called by each check, or nil
	address  string // what AddressProblem returns
	warnings []string
}

// AddressProblem implements [publish.AddressNeeder].
func (n *network) AddressProblem() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.address
}

// needAddress makes the network need an address that the daemon does not have.
func (n *network) needAddress(problem string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.address = problem
}

// warn makes the network accept credentials with warnings.
func (n *network) warn(warnings ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.warnings = warnings
}

func (n *network) currentWarnings() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.warnings
}

func (n *network) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	held, refusal := n.ask()
	if held != nil {
		<-held
	}
	if refusal != nil {
		return publish.Profile{}, refusal
	}
	profile, err := n.Fake.Connect(ctx, c)
	profile.Warnings = n.currentWarnings()
	if room, ok := strings.CutPrefix(c.Credentials["token"], "room-"); ok && err == nil {
		profile.Identity = "me " + room
	}
	switch c.Credentials["token"] {
	case "somebody-else":
		profile.Username, profile.URL = "somebody else", "https://fake.example/somebody-else"
	case "with-session":
		profile.Credentials = publish.Credentials{"token": "with-session", "session": c.Credentials["session"] + "s"}
	}
	return profile, err
}

// panicking lets checks panic.
func (n *network) panicking() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.panics = true
}

// panicOnConnect lets Connect panic.
func (n *network) panicOnConnect(with string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.thrown = with
}

// Prevents implements [publish.AccountWarner].
func (n *network) Prevents(warning string, files int) bool {
	return warning == "no posts" || warning == "no files" && files > 0
}

func (n *network) Fields() []publish.Field {
	return append(n.Fake.Fields(), publish.Field{Name: "mood", Option: true, Post: true})
}

func (n *network) Check(a schedctl.Account, content publish.Content) publish.Check {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checked++
	if n.checking != nil {
		n.checking()
	}
	if n.panics {
		panic("out of cheese")
	}
	length, mood := utf8.RuneCountInString(content.Text), a.Options.String("mood")
	if mood == "loud" {
		length *= 2
	}
	check := publish.Measured(length, a.Limits.MaxCharacters, "characters")
	if has := a.Options["mood"]; has != nil && mood != "calm" && mood != "loud" {
		check.Problems = append(check.Problems, publish.Contentf("mood", "mood is calm or loud"))
	}
	if a.Credentials != nil {
		check.Problems = append(check.Problems, publish.Contentf("credentials", "a check has no business with them"))
	}
	if strings.Contains(content.Text, "?") {
		check.Warnings = append(check.Warnings, "a question")
	}
	return check
}

func (n *network) ask() (held <-chan struct{}, refusal error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	if n.thrown != "" {
		panic(n.thrown)
	}
	if n.started != nil {
		close(n.started)
		n.started = nil
	}
	return n.held, n.refusal
}

// holdConnects makes calls wait for release. The first one closes started.
func (n *network) holdConnects(release <-chan struct{}) (started <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.started, n.held = make(chan struct{}), release
	return n.started
}

func (n *network) refuse(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refusal = err
}

// onCheck lets each check call a function, or none for nil.
func (n *network) onCheck(call func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checking = call
}

// checks returns the number of times a text was measured.
func (n *network) checks() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.checked
}

func (n *network) connects() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// nameless is a network without credentials, where the name is the address.
type nameless struct{ *publishtest.Fake }

func (nameless) Fields() []publish.Field { return nil }
