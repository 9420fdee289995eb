package schedctl

import (
	"slices"
	"time"
)

// MaxRecipients is the most recipients that an e-mail notification can have.
const MaxRecipients = 20

// MaxNotificationError is the longest [Notify.LastError], in bytes.
const MaxNotificationError = 500

// Notify makes a [Webhook] a notification: its events are sent as messages to
// people. Several events share one message, and there are no deliveries.
type Notify struct {
	AccountID string // the account that sends the messages; empty for e-mail
	Mail      *Mail  // nil for an account

	// NotBefore is the earliest time of the next message. It is stored before each
	// message is sent, so that restarts cannot cause a flood.
	NotBefore time.Time

	About NotifyAbout // empty for [NotifyAll]

	// KeyID is the API key that the notification belongs to: the one that said last where
	// messages go. After the end of the key, messages have no texts and no addresses. It is
	// empty if an earlier version made the notification.
	KeyID string

	// ReviewLink is the name of the person who gets the address of a review with each
	// submitted post; empty for no address.
	ReviewLink string

	SentAt    time.Time // of the last message; zero before the first
	Failures  int       // attempts that failed since the last message
	LastError string    // of the last attempt, for people; empty after a success
}

// NotifyAbout says of which posts and series a notification reports events.
type NotifyAbout string

// The values. Events about neither a post nor a series are always reported.
const (
	NotifyAll  NotifyAbout = "all"
	NotifyMine NotifyAbout = "mine" // those that its key has made or submitted, without what this key does itself
)

// Concerns reports whether a notification about mine reports an event about something that
// these API keys have made or submitted.
func (n *Notify) Concerns(e *Event, keyIDs ...string) bool {
	own := e.Step != nil && e.Step.By.ID == n.KeyID && e.Step.By.Share == ""
	return n.KeyID != "" && !own && slices.Contains(keyIDs, n.KeyID)
}

// Mail says how e-mail is sent. The password is the sealed secret of the webhook.
type Mail struct {
	Host     string
	Port     int
	Username string // empty to send without authentication
	From     string // an address, with or without a name
	To       []string
	TLS      MailTLS
}

// MailTLS says how a connection to a mail server is encrypted.
type MailTLS string

// The ways to encrypt a connection to a mail server.
const (
	MailStartTLS MailTLS = "starttls" // STARTTLS is required before anything is sent
	MailImplicit MailTLS = "implicit" // TLS from the first byte
	MailPlain    MailTLS = "none"     // no encryption: for private networks only
)

// MailTLSModes lists every way to encrypt a connection to a mail server.
func MailTLSModes() []MailTLS { return []MailTLS{MailStartTLS, MailImplicit, MailPlain} }

// Port returns the port that mail servers use for submission with this
// encryption.
func (t MailTLS) Port() int {
	switch t {
	case MailImplicit:
		return 465
	case MailPlain:
		return 25
	}
	return 587
}

// NotificationEvents lists the event types that people can be notified of: problems, and
// steps of reviews.
func NotificationEvents() []EventType { return append(ProblemEvents(), ReviewEvents()...) }

// ProblemEvents lists the event types that a notification reports unless it names others:
// failures, what will fail, refused logins, unknown outcomes and sources that make no posts.
func ProblemEvents() []EventType {
	return []EventType{EventPostFailed, EventPostCommentFailed, EventPostUnconfirmed, EventAccountError, EventAccountExpiring, EventForecastAppeared, EventSourceHeld, EventSourceFailed, EventWebhookDisabled}
}

// NotificationPlatforms lists the platforms whose accounts can carry
// notifications: those with private messages or channels.
func NotificationPlatforms() []string {
	return []string{"discord", "http", "matrix", "slack", "telegram"}
}

// NotificationID returns the id of a notification for clients from the id of its
// webhook. It returns "" for any other text.
func NotificationID(webhookID string) string {
	return withPrefix(WebhookPrefix, webhookID, NotificationPrefix)
}

// NotificationWebhookID is the inverse of [NotificationID].
func NotificationWebhookID(id string) string {
	return withPrefix(NotificationPrefix, id, WebhookPrefix)
}

func withPrefix(from Prefix, id string, to Prefix) string {
	u, ok := ParseID(from, id)
	if !ok {
		return ""
	}
	return u.ID(to)
}

// Clone returns a deep copy of n.
func (n *Notify) Clone() *Notify {
	if n == nil {
		return nil
	}
	c := *n
	if n.Mail != nil {
		mail := *n.Mail
		mail.To = append([]string(nil), n.Mail.To...)
		c.Mail = &mail
	}
	return &c
}
