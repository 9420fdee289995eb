package notify

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// sendTimeout bounds one message.
const sendTimeout = 45 * time.Second

// Credentials opens the stored credentials of accounts.
type Credentials interface {
	Open(schedctl.Account) (publish.Credentials, error)
}

// Config configures a [Sender]. PublicURL and the fields after it are optional.
type Config struct {
	Store       storage.Store
	Publishers  publish.Registry
	Credentials Credentials
	Sealer      *seal.Sealer
	Outbound    outbound.Policy // which mail servers are connected to
	Logger      *slog.Logger

	PublicURL  string     // the address of the daemon for people, without a slash at its end; empty if it has none
	LinkReview LinkReview // nil for messages without addresses

	RootCAs *x509.CertPool // that mail servers are verified with; nil for the system's
	Version string         // of the daemon, for the header of e-mails; may be empty
}

// Sender sends messages. Its methods may be called from any goroutine.
type Sender struct {
	cfg  Config
	dial dialFunc
}

// New returns a sender.
func New(cfg Config) *Sender {
	return &Sender{cfg: cfg, dial: outbound.Dial(cfg.Outbound)}
}

// Notify sends one message about a digest, which must not be empty, within 45 seconds.
// Error texts are for users, have at most [schedctl.MaxNotificationError] bytes and hold
// no secrets. After an error the message may have been sent anyway.
func (s *Sender) Notify(ctx context.Context, hook schedctl.Webhook, d Digest) error {
	return s.send(ctx, hook, d.Last, d.First, func(n *names) Message { return compose(&d, n) })
}

// Test sends a test message. Errors are as for [Sender.Notify].
func (s *Sender) Test(ctx context.Context, hook schedctl.Webhook) error {
	id := schedctl.NewID(schedctl.RequestPrefix, time.Now())
	return s.send(ctx, hook, id, nil, func(n *names) Message { return composeTest(&hook, n) })
}

// send sends a message. A repeated message has the same id.
func (s *Sender) send(ctx context.Context, hook schedctl.Webhook, id string, about []schedctl.Event, text func(*names) Message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if hook.Notify == nil {
		return errors.New("this is not a notification")
	}
	links, err := s.links(ctx, &hook, about)
	if err != nil {
		s.cfg.Logger.Error("making the addresses of a message failed", "webhook", hook.ID, "error", err)
		return errors.New("the database could not be written")
	}
	var carrier schedctl.Account
	var n names
	err = s.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		n, carrier, err = readNames(r, &hook, about)
		return err
	})
	n.links = links
	if err != nil {
		s.cfg.Logger.Error("reading the workspace of a notification failed", "webhook", hook.ID, "error", err)
		return errors.New("the database could not be read")
	}
	m := text(&n)
	key := strings.Join([]string{hook.ID, id}, "-")
	if hook.Notify.Mail != nil {
		err = s.mail(ctx, &hook, key, m)
	} else {
		err = s.publish(ctx, carrier, key, m)
	}
	if err != nil {
		text := hide(err.Error(), slices.Collect(maps.Values(links.addresses))...)
		for _, link := range links.addresses {
			text = hideParts(text, link[strings.LastIndexByte(link, '/')+1:])
		}
		return errors.New(clipBytes(oneLine(text), schedctl.MaxNotificationError))
	}
	return nil
}

// readNames reads the names of the objects of events, and the account that carries the
// message. The account is the zero value if it does not exist.
func readNames(r storage.Reader, hook *schedctl.Webhook, about []schedctl.Event) (n names, carrier schedctl.Account, err error) {
	ws, err := r.Workspace(hook.WorkspaceID)
	if err != nil {
		return n, carrier, fmt.Errorf("read workspace %s: %w", hook.WorkspaceID, err)
	}
	open, err := showsTexts(r, hook)
	if err != nil {
		return n, carrier, err
	}
	n = names{hidden: !open, workspace: oneLine(ws.Name), zone: time.UTC, accounts: make(map[string]string), subjects: make(map[string]subject)}
	if zone, err := schedctl.LoadZone("timezone", ws.Timezone); err == nil {
		n.zone = zone
	}
	accountName := func(id string) (string, error) {
		if name, known := n.accounts[id]; known {
			return name, nil
		}
		a, err := account(r, hook.WorkspaceID, id)
		n.accounts[id] = oneLine(a.Name)
		return n.accounts[id], err
	}
	for i := range about {
		e := &about[i]
		if _, err := accountName(e.AccountID); err != nil {
			return n, carrier, err
		}
		if n.hidden {
			continue
		}
		s, found, err := readSubject(r, e, accountName)
		if err != nil {
			return n, carrier, err
		}
		if found {
			n.subjects[subjectID(e)] = s
		}
	}
	carrier, err = account(r, hook.WorkspaceID, hook.Notify.AccountID)
	return n, carrier, err
}

// showsTexts reports whether messages of the notification have texts and notes: its key must
// be valid, and may read posts.
func showsTexts(r storage.Reader, hook *schedctl.Webhook) (bool, error) {
	if hook.Notify.KeyID == "" {
		return true, nil
	}
	key, err := r.Key(hook.WorkspaceID, hook.Notify.KeyID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the key of notification %s: %w", hook.ID, err)
	}
	return key.Check(time.Now()) == nil && key.Allows(schedctl.ScopePostsRead), nil
}

// account returns an account, or the zero value when it does not exist.
func account(r storage.Reader, workspace, id string) (schedctl.Account, error) {
	if id == "" {
		return schedctl.Account{}, nil
	}
	a, err := r.Account(workspace, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return schedctl.Account{}, nil
	}
	if err != nil {
		return a, fmt.Errorf("read account %s: %w", id, err)
	}
	return a, nil
}

// publish sends a message through an account.
func (s *Sender) publish(ctx context.Context, a schedctl.Account, key string, m Message) error {
	p, known := s.cfg.Publishers[a.Platform]
	switch {
	case a.ID == "" || a.Status == schedctl.AccountDisconnected:
		return errors.New("the account that carries the messages is disconnected")
	case !known || !slices.Contains(schedctl.NotificationPlatforms(), a.Platform):
		return fmt.Errorf("accounts of %s cannot carry notifications", a.Platform)
	}
	credentials, err := s.cfg.Credentials.Open(a)
	if err != nil {
		s.cfg.Logger.Error("opening credentials failed", "account", a.ID, "error", err)
		return errors.New("the stored credentials of the account cannot be opened; reconnect it")
	}
	a.Credentials, a.Options = nil, plainOptions(a.Platform)
	text := m.Text
	if a.Limits.MaxCharacters > 0 {
		text = fit(text, a.Limits.MaxCharacters)
	}
	err = s.guard(a.Platform, func() error {
		_, err := p.Publish(ctx, publish.Request{
			TargetID: key, Content: text, PublishAt: time.Now().UTC(), Attempt: 1, Key: key, Account: a, Credentials: credentials,
		})
		return err
	})
	if err == nil {
		return nil
	}
	return errors.New(hide(publish.AsError(err).Message, secrets(p, credentials)...))
}

// secrets returns the secret credentials: those that the publisher lists as secret, and
// unlisted ones, which are part of a session.
func secrets(p publish.Publisher, credentials publish.Credentials) (values []string) {
	for name, value := range credentials {
		if !slices.ContainsFunc(p.Fields(), func(f publish.Field) bool { return f.Name == name && !f.Secret }) {
			values = append(values, value)
		}
	}
	return values
}

// plainOptions returns the options by which a platform shows a text as it is.
func plainOptions(platform string) schedctl.Options {
	if platform == "slack" {
		return schedctl.Options{"mrkdwn": false}
	}
	return nil
}

// guard turns a panic of a publisher into an error.
func (s *Sender) guard(platform string, fn func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			s.cfg.Logger.Error("publisher panicked", "platform", platform, "error", fmt.Sprintf("panic with a %T", thrown), "stack", string(debug.Stack()))
			err = &publish.Error{Message: "internal error; the log of the daemon has the details"}
		}
	}()
	return fn()
}

// minHidden is the shortest secret that is removed from messages, in bytes.
const minHidden = 4

// hide replaces secrets in a text.
func hide(text string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= minHidden {
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return text
}

// minPart is the shortest part of a token that hideParts removes, in bytes.
const minPart = 12

// hideParts replaces a token and its parts in a text. Servers may quote a message encoded
// differently, with line breaks, or shortened.
func hideParts(text, token string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := minPart
		for i+n <= len(text) && strings.Contains(token, text[i:i+n]) {
			n++
		}
		if n == minPart {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteString("[hidden]")
		i += n - 1
	}
	return b.String()
}

// clipBytes returns the beginning of valid UTF-8, of at most limit bytes.
func clipBytes(text string, limit int) string {
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
