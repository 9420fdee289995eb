package notify_test

import (
	"context"
	"encoding/base64"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/notify/notifytest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestMailIsSent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		settings notifytest.Settings
		mode     schedctl.MailTLS
	}{
		"starttls with a login": {notifytest.Settings{Username: "ann", Password: password}, schedctl.MailStartTLS},
		"starttls":              {notifytest.Settings{}, schedctl.MailStartTLS},
		"implicit with a login": {notifytest.Settings{Username: "ann", Password: password, Implicit: true}, schedctl.MailImplicit},
		"plain":                 {notifytest.Settings{NoTLS: true}, schedctl.MailPlain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			server := notifytest.NewServer(t, tc.settings)
			r.config.RootCAs = server.Roots
			hook := r.hook(mailTo(t, server, tc.mode, tc.settings.Username))
			d := digest(r.event(schedctl.EventPostFailed, "Größe überschritten"))
			r.sends(hook, d)
			r.sends(hook, d)
			letters := server.Letters()
			if len(letters) != 2 {
				t.Fatalf("%d letters", len(letters))
			}
			got := letters[0]
			if diff := cmp.Diff([]string{"ops@example.com", "ann@example.com"}, got.To); diff != "" || got.From != "schedctl@example.com" || got.Encrypted != (tc.mode != schedctl.MailPlain) {
				t.Errorf("%+v", got)
			}
			first, second := readLetter(t, got), readLetter(t, letters[1])
			if first.Header.Get("Subject") != "[schedctl] A post was not published on blog (mastodon)" || first.Header.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("header %v", first.Header)
			}
			if id := first.Header.Get("Message-Id"); id == "" || id != second.Header.Get("Message-Id") {
				t.Errorf("the same message has the ids %q and %q", id, second.Header.Get("Message-Id"))
			}
			if strings.Contains(got.Data+r.logs.String(), password) {
				t.Error("the password is shown")
			}
		})
	}
}

func readLetter(t *testing.T, l notifytest.Letter) *mail.Message {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(l.Data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A message is never sent without encryption where that was asked for, nor to a
// server that cannot prove who it is.
func TestMailIsNotSentInTheClear(t *testing.T) {
	t.Parallel()
	login := notifytest.Settings{Username: "ann", Password: password}
	noTLS, otherHost := login, login
	noTLS.NoTLS, otherHost.Host = true, "mail.example"
	for name, tc := range map[string]struct {
		settings notifytest.Settings
		trusted  bool
		want     string
	}{
		"no STARTTLS":             {noTLS, true, "STARTTLS"},
		"of an unknown authority": {login, false, "the certificate of 127.0.0.1 is not valid: it is signed by an unknown authority"},
		"for another host":        {otherHost, true, "the certificate of 127.0.0.1 is not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			server := notifytest.NewServer(t, tc.settings)
			if tc.trusted {
				r.config.RootCAs = server.Roots
			}
			if got := r.fails(t.Context(), r.hook(mailTo(t, server, schedctl.MailStartTLS, "ann"))); !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q in it", got, tc.want)
			}
			if len(server.Letters()) > 0 {
				t.Error("a letter was sent")
			}
		})
	}
}

func TestMailFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		replies map[string]string
		want    string
	}{
		"recipient refused": {map[string]string{"RCPT": "550 5.1.1 no such user"}, `550 "5.1.1 no such user"`},
		"sender refused":    {map[string]string{"MAIL": "553 5.7.1 not yours"}, `553 "5.7.1 not yours"`},
		"text refused":      {map[string]string{".": "554 5.6.0 spam"}, `554 "5.6.0 spam"`},
		"greylisted":        {map[string]string{"DATA": "451 4.7.1 try later"}, `451 "4.7.1 try later"`},
		"hangs up":          {map[string]string{"EHLO": "", "HELO": ""}, "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			server := notifytest.NewServer(t, notifytest.Settings{Replies: tc.replies})
			r.config.RootCAs = server.Roots
			got := r.fails(t.Context(), r.hook(mailTo(t, server, schedctl.MailStartTLS, "")))
			if !strings.Contains(got, tc.want) || len(got) > schedctl.MaxNotificationError || strings.ContainsAny(got, "\r\n") {
				t.Errorf("got %q, want %q in it", got, tc.want)
			}
		})
	}
}

// A failing goodbye is no failure of the message.
func TestMailThatWasTakenIsSent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{Replies: map[string]string{"QUIT": "500 what"}})
	r.config.RootCAs = server.Roots
	r.sends(r.hook(mailTo(t, server, schedctl.MailStartTLS, "")), digest(r.event(schedctl.EventPostFailed, "")))
}

func TestPasswordIsNotInErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{Username: "ann", Password: "another"})
	r.config.RootCAs = server.Roots
	got := r.fails(t.Context(), r.hook(mailTo(t, server, schedctl.MailStartTLS, "ann")))
	plain := base64.StdEncoding.EncodeToString([]byte("\x00ann\x00" + password))
	if !strings.Contains(got, "535") || strings.Contains(got, password) || strings.Contains(got, plain) {
		t.Errorf("got %q", got)
	}
	if strings.Contains(r.logs.String(), password) || strings.Contains(r.logs.String(), plain) {
		t.Error("the password is in the log")
	}
}

// Addresses are checked after names are resolved, as for every other call.
func TestMailServerInAPrivateNetworkIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{})
	r.config.RootCAs, r.config.Outbound = server.Roots, outbound.PublicOnly
	for _, host := range []string{"127.0.0.1", "localhost"} {
		to := mailTo(t, server, schedctl.MailStartTLS, "")
		to.Host = host
		if got := r.fails(t.Context(), r.hook(to)); !strings.Contains(got, "--allow-private-networks") {
			t.Errorf("%s: got %q", host, got)
		}
	}
}

func TestMailEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{Replies: map[string]string{"MAIL": " "}}) // no reply that can be read
	r.config.RootCAs = server.Roots
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	r.fails(ctx, r.hook(mailTo(t, server, schedctl.MailStartTLS, "")))
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestLapsedDaemonSendsNoMail(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{})
	r.config.RootCAs = server.Roots
	r.fails(publish.WithGuard(t.Context(), func() bool { return false }), r.hook(mailTo(t, server, schedctl.MailStartTLS, "")))
	if len(server.Letters()) > 0 {
		t.Error("a letter was sent")
	}
}

func TestUnreadablePassword(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{Username: "ann", Password: password})
	hook := r.hook(mailTo(t, server, schedctl.MailStartTLS, "ann"))
	hook.Secret[len(hook.Secret)-1]++
	if got := r.fails(t.Context(), hook); !strings.Contains(got, "cannot be opened") {
		t.Errorf("got %q", got)
	}
}

func TestTestMail(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := notifytest.NewServer(t, notifytest.Settings{})
	r.config.RootCAs = server.Roots
	hook := r.hook(mailTo(t, server, schedctl.MailStartTLS, ""))
	if err := notify.New(r.config).Test(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	letters := server.Letters()
	if len(letters) != 1 || !strings.Contains(letters[0].Data, "This is a test.") {
		t.Errorf("%+v", letters)
	}
}
