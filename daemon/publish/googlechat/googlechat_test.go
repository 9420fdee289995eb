package googlechat_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/googlechat"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Publisher      = (*googlechat.Publisher)(nil)
	_ publish.Idempotent     = (*googlechat.Publisher)(nil)
	_ publish.MediaPublisher = (*googlechat.Publisher)(nil)
	_ publish.Threader       = (*googlechat.Publisher)(nil)
)

// accepted responds to every request with the same message.
func accepted(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, `{"name":"spaces/%s/messages/m1.m1","thread":{"name":"spaces/%[1]s/threads/t1"}}`, space)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	missing, lost := newServer(), newServer()
	missing.deleted, lost.newOnes = true, true
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher {
			return googlechat.New(c, outbound.AllowPrivate, "test", "https://posts.example.org")
		},
		Connection: func(url string) publish.Connection { return connection(url + webhook) },
		Network:    http.HandlerFunc(accepted),
		Receipt:    schedctl.Receipt{ID: "spaces/" + space + "/messages/m1.m1", Ref: "spaces/" + space + "/threads/t1"},
		Key:        func(r *http.Request, _ []byte) string { return r.URL.Query().Get("requestId") },
		Media:      &publishtest.MediaSuite{},
		Threads: &publishtest.ThreadSuite{
			Network:   func() http.Handler { return newServer() },
			Reference: func(schedctl.Receipt) string { return "spaces/" + space + "/threads/t1" },
			Missing:   missing,
			Lost:      lost,
		},
	})
}

func TestConnect(t *testing.T) {
	t.Parallel()
	p := googlechat.New(nil, outbound.PublicOnly, "test", "https://posts.example.org")
	got, err := p.Connect(t.Context(), connection("https://chat.googleapis.com"+webhook))
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: space, DisplayName: "space " + space, URL: "https://chat.google.com/room/" + space,
		Limits: schedctl.Limits{MaxCharacters: 32000, Unit: "bytes"}, Identity: "chat.googleapis.com " + space,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func TestConnectChecksTheURL(t *testing.T) {
	t.Parallel()
	p := googlechat.New(nil, outbound.PublicOnly, "test", "https://posts.example.org")
	for _, url := range []string{
		"chat.googleapis.com" + webhook,
		"http://chat.googleapis.com" + webhook,
		"https://chat.googleapis.com/v1/spaces/" + space + "/messages",
		"https://chat.googleapis.com/v1/spaces/" + space + "/messages?key=" + key,
		"https://chat.googleapis.com/v1/spaces/" + space + "/messages?token=" + token,
		"https://chat.googleapis.com/v1/spaces/a/b/messages?key=" + key + "&token=" + token,
		"https://user@chat.googleapis.com" + webhook,
		"https://127.0.0.1" + webhook,
	} {
		_, err := p.Connect(t.Context(), connection(url))
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "webhook_url" || strings.Contains(e.Message, key) || strings.Contains(e.Message, token) {
			t.Errorf("%.80s: got %+v", url, e)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := googlechat.New(nil, outbound.PublicOnly, "test", "https://posts.example.org")
	picture := publish.Media{MIMEType: "image/png", AltText: strings.Repeat("a", 200)}
	for _, tt := range []struct {
		name    string
		content publish.Content
		length  int
		limit   int
		codes   []string
	}{
		{"at the limit", publish.Text(strings.Repeat("é", 16000)), 32000, 32000, nil},
		{"over the limit", publish.Text(strings.Repeat("é", 16000) + "a"), 32001, 32000, []string{"too_long"}},
		{"white space", publish.Text(" \n"), 2, 32000, []string{"empty"}},
		{"only a picture", publish.Content{Media: []publish.Media{picture}}, 0, 31000, nil},
		{"too long for a picture", publish.Content{Text: strings.Repeat("a", 31001), Media: []publish.Media{picture}}, 31001, 31000, []string{"too_long"}},
		{"a content warning", publish.Content{Text: "hello", Extras: publish.Extras{Presentation: schedctl.Presentation{ContentWarning: "war"}}}, 5, 32000, []string{"content_warning"}},
		{"a visibility", publish.Content{Text: "hello", Extras: publish.Extras{Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityDirect}}}, 5, 32000, []string{"visibility"}},
	} {
		c := p.Check(schedctl.Account{}, tt.content)
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" || c.Length != tt.length || c.Limit != tt.limit || c.Unit != "bytes" {
			t.Errorf("%s: got %+v, codes %v", tt.name, c, codes)
		}
	}
}

// TestMentions guards that a post notifies a space only if the option mentions is set, and that
// the space that breaks a mention counts.
func TestMentions(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	const text = "Hello <users/all>, <USERS/all> and <users/123>, *all* <user> of you"
	const broken = "Hello <\u200busers/all>, <\u200bUSERS/all> and <\u200busers/123>, *all* <user> of you"
	for key, tt := range map[string]struct {
		options  schedctl.Options
		sent     string
		warnings int
	}{
		"k1": {nil, broken, 1},
		"k2": {schedctl.Options{"mentions": false}, broken, 1},
		"k3": {schedctl.Options{"mentions": true}, text, 0},
	} {
		r.Key, r.Content, r.Account.Options = key, text, tt.options
		c := p.Check(r.Account, publish.Text(text))
		if _, err := p.Publish(t.Context(), r); err != nil || s.messages[len(s.messages)-1].Text != tt.sent || c.Length != len(tt.sent) || len(c.Warnings) != tt.warnings {
			t.Errorf("%v: %v, %q, %+v", tt.options, err, s.messages[len(s.messages)-1].Text, c)
		}
	}
	if c := p.Check(schedctl.Account{Options: schedctl.Options{"mentions": "yes"}}, publish.Text(text)); publish.AsError(c.Err()).Code != "mentions" {
		t.Errorf("a bad option: %v", c.Err())
	}
}

// A repeated request, as after an unknown outcome, posts once.
func TestRepeatedRequest(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	first, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Publish(t.Context(), r)
	if err != nil || !again.Equal(first) || len(s.messages) != 1 {
		t.Errorf("got %+v, %v; want %+v; %d messages", again, err, first, len(s.messages))
	}
}

func TestThread(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	root, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	second := replyTo(r, root, root)
	middle, err := p.Publish(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	// A part whose root has no name of a thread uses the key of the thread.
	bare := schedctl.Receipt{ID: root.ID}
	if _, err := p.Publish(t.Context(), replyTo(second, bare, middle)); err != nil {
		t.Fatal(err)
	}
	for i, m := range s.messages {
		if m.Thread != s.messages[0].Thread {
			t.Errorf("message %d is in thread %s: %+v", i, m.Thread, s.messages)
		}
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	r.Content = ""
	r.Files = []publish.File{publishtest.TestFile("image/png", 1), publishtest.TestFile("image/jpeg", 2)}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"https://daemon.example/media/1", "https://daemon.example/media/2"}, s.messages[0].Images); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
	r.Files[1].URL = "http://127.0.0.1:7070/media/2"
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, "--public-url https://") {
		t.Errorf("a picture without a public address: %+v", e)
	}
}

func ExamplePublisher_Fields() {
	for _, f := range googlechat.New(nil, outbound.PublicOnly, "", "https://posts.example.org").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// webhook_url: from the space's menu, Apps & integrations, Webhooks
	// mentions: true to let <users/all> in a post notify everyone in the space
}

// Without a public https address, pictures are refused before they are due.
func TestPicturesNeedAPublicAddress(t *testing.T) {
	t.Parallel()
	for address, works := range map[string]bool{"https://posts.example.org": true, "http://127.0.0.1:7733": false, "": false} {
		p := googlechat.New(nil, outbound.PublicOnly, "test", address)
		var check publish.Check
		picture := publish.Media{MIMEType: "image/png", Size: 100, Width: 9, Height: 9, AltText: "a dot"}
		publish.CheckMedia(&check, p, schedctl.Account{Platform: "googlechat"}, []publish.Media{picture}, nil)
		if (p.AddressProblem() == "") != works || (len(check.Problems) == 0) != works {
			t.Errorf("%q: %q, %v", address, p.AddressProblem(), check.Problems)
		}
	}
}
