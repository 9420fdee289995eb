package notify_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/notify/notifytest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

const (
	password = "open sesame"
	token    = "token-that-nobody-may-see"
)

// rig is a sender for one workspace with two accounts.
type rig struct {
	testing.TB
	config    notify.Config
	network   *publishtest.Fake
	logs      bytes.Buffer
	workspace string
	channel   schedctl.Account // that carries messages
	blog      schedctl.Account // that events are about
	now       time.Time
}

// credentials opens those of every account.
type credentials struct{}

func (credentials) Open(schedctl.Account) (publish.Credentials, error) {
	return publish.Credentials{"token": token}, nil
}

func newRig(t testing.TB) *rig {
	t.Helper()
	now := time.Date(2026, 6, 2, 15, 4, 0, 0, time.UTC)
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, network: publishtest.NewFake("slack"), workspace: schedctl.NewID(schedctl.WorkspacePrefix, now), now: now}
	account := func(platform, name string) schedctl.Account {
		return schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.workspace, Platform: platform, Name: name, Status: schedctl.AccountConnected}
	}
	r.channel, r.blog = account("slack", "team"), account("mastodon", "blog")
	store := storagetest.NewMemory()
	err = store.Update(t.Context(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: r.workspace, Name: "Acme", Timezone: "UTC"}); err != nil {
			return err
		}
		if err := tx.PutAccount(r.channel); err != nil {
			return err
		}
		return tx.PutAccount(r.blog)
	})
	if err != nil {
		t.Fatal(err)
	}
	r.config = notify.Config{
		Store: store, Publishers: publish.NewRegistry(r.network), Credentials: credentials{}, Sealer: sealer,
		Outbound: outbound.AllowPrivate, Logger: slog.New(slog.NewTextHandler(&r.logs, nil)), Version: "test",
	}
	return r
}

// hook returns a notification through the account, or by e-mail if given.
func (r *rig) hook(mail *schedctl.Mail) schedctl.Webhook {
	w := schedctl.Webhook{
		ID: schedctl.NewID(schedctl.WebhookPrefix, r.now), WorkspaceID: r.workspace, Enabled: true,
		EventTypes: schedctl.NotificationEvents(), Notify: &schedctl.Notify{AccountID: r.channel.ID},
	}
	if mail != nil {
		w.Notify = &schedctl.Notify{Mail: mail}
		if mail.Username != "" {
			w.Secret = r.config.Sealer.Seal([]byte(password), w.ID)
		}
	}
	return w
}

// mailTo returns the settings for a server.
func mailTo(t testing.TB, s *notifytest.Server, mode schedctl.MailTLS, username string) *schedctl.Mail {
	t.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return &schedctl.Mail{
		Host: host, Port: n, Username: username, From: `"schedctl" <schedctl@example.com>`, To: []string{"ops@example.com", "ann@example.com"}, TLS: mode,
	}
}

func (r *rig) event(typ schedctl.EventType, message string) schedctl.Event {
	e := schedctl.Event{
		ID: schedctl.NewID(schedctl.EventPrefix, r.now), Type: typ, CreatedAt: r.now, WorkspaceID: r.workspace,
		PostID: "post_01K2M4N6P8QARCTDVEWFXGYHZ1", AccountID: r.blog.ID, Platform: "mastodon",
	}
	if message != "" {
		e.Error = &schedctl.TargetError{Kind: schedctl.KindContent, Message: message, Outcome: schedctl.OutcomeNotPublished}
	}
	return e
}

func digest(events ...schedctl.Event) (d notify.Digest) {
	for _, e := range events {
		d.Add(e)
	}
	return d
}

// sends sends a message and wants no error.
func (r *rig) sends(hook schedctl.Webhook, d notify.Digest) {
	r.Helper()
	if err := notify.New(r.config).Notify(r.Context(), hook, d); err != nil {
		r.Fatal(err)
	}
}

// fails sends a message and returns the text of the error.
func (r *rig) fails(ctx context.Context, hook schedctl.Webhook) string {
	r.Helper()
	err := notify.New(r.config).Notify(ctx, hook, digest(r.event(schedctl.EventPostFailed, "")))
	if err == nil {
		r.Fatal("the message was sent")
	}
	return err.Error()
}
