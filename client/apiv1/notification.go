package apiv1

import (
	"cmp"

	"github.com/schedctl/schedctl"
)

// Notification sends messages about failures and reviews to people, through an account or by
// e-mail; exactly one of SocialAccountID and Email is set. It never carries the
// password of a mail server.
type Notification struct {
	ID              string               `json:"id" doc:"Starts with ntf_."`
	Name            *string              `json:"name" doc:"Chosen by the user; null for none."`
	SocialAccountID *string              `json:"social_account_id" doc:"The account that carries the messages; null for e-mail."`
	Email           *NotificationEmail   `json:"email" doc:"How e-mail is sent; null for an account."`
	EventTypes      []schedctl.EventType `json:"event_types" doc:"The events that it reports."`
	About           schedctl.NotifyAbout `json:"about" doc:"Which posts and series it is about: all, or mine for those that its API key has made or submitted, without the steps that this key takes itself. Events about accounts and webhooks are always reported." enum:"all,mine"`
	ReviewLink      *string              `json:"review_link" doc:"The name of the person who gets, with each submitted post, the address of a share to review it; null for no address."`
	APIKey          *NotificationKey     `json:"api_key" doc:"The API key that it belongs to: the one that said last where messages go, or what about. Null if an earlier version created it."`
	Enabled         bool                 `json:"enabled" doc:"Whether it reports anything."`
	SentAt          *Time                `json:"sent_at" doc:"When the last message was sent; null before the first."`
	FailingSince    *Time                `json:"failing_since" doc:"When the first message failed after the last that was sent; null when the last one was sent."`
	LastError       *string              `json:"last_error" doc:"Why the last message was not sent; null when it was."`
	CreatedAt       *Time                `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt       *Time                `json:"updated_at" doc:"When it was last changed by a client." nullable:"false"`
}

// NotificationKey is the API key that a notification belongs to.
type NotificationKey struct {
	ID    string `json:"id" doc:"Starts with key_."`
	Name  string `json:"name" doc:"The name of the key."`
	Ended bool   `json:"ended" doc:"Whether the key was revoked or has expired. Messages are then sent without texts, notes and addresses."`
}

// NotificationEmail says how e-mail is sent.
type NotificationEmail struct {
	Host     string           `json:"host" doc:"The mail server."`
	Port     int              `json:"port" doc:"Its port."`
	Username *string          `json:"username" doc:"The user name of the mail server; null to send without a login."`
	From     string           `json:"from" doc:"The sender."`
	To       []string         `json:"to" doc:"The recipients."`
	TLS      schedctl.MailTLS `json:"tls" doc:"How the connection is encrypted: with STARTTLS, with TLS from the first byte (implicit), or not at all (none)."`
}

// NotificationEnvelope is the response to requests about one notification.
type NotificationEnvelope struct {
	Notification Notification `json:"notification" doc:"The notification."`
}

// NotificationList is all notifications in order of creation.
type NotificationList struct {
	Results []Notification `json:"results" doc:"The notifications in order of creation."`
	Count   int            `json:"count" doc:"The number of results."`
}

// NotificationTest is the response of POST /notifications/{id}/test.
type NotificationTest struct {
	Notification Notification `json:"notification" doc:"The notification."`
	Sent         bool         `json:"sent" doc:"Whether the message was sent."`
	Error        *string      `json:"error" doc:"Why it was not sent; null when it was."`
}

// EmailSettings are the settings of e-mail in a request.
type EmailSettings struct {
	Host     string            `json:"host" doc:"The name of the mail server, without a port. Private addresses are refused unless the daemon allows them." minLength:"1" maxLength:"254"`
	Port     *int              `json:"port,omitempty" doc:"587 with starttls, 465 with implicit and 25 with none when absent." minimum:"1" maximum:"65535"`
	Username *string           `json:"username,omitempty" doc:"The user name of the mail server, with a password; null or absent to send without a login." maxLength:"500" nullable:"true"`
	Password *string           `json:"password,omitempty" doc:"Stored encrypted and never returned. In an edit, an absent password keeps the stored one." maxLength:"500" nullable:"true"`
	From     string            `json:"from" doc:"The address of the sender, with or without a name." maxLength:"320"`
	To       []string          `json:"to" doc:"1 to 20 addresses." minItems:"1" maxItems:"20" maxLength:"320"`
	TLS      *schedctl.MailTLS `json:"tls,omitempty" doc:"starttls when absent. none is for servers in private networks, without a login, on daemons that allow private networks."`
}

// CreateNotification is the body of POST /notifications. It has a SocialAccountID
// or an Email.
type CreateNotification struct {
	SocialAccountID *string               `json:"social_account_id,omitempty" doc:"A connected account of Discord, Matrix, Slack, Telegram or http."`
	Email           *EmailSettings        `json:"email,omitempty" doc:"How to send e-mail." nullable:"false"`
	EventTypes      *[]schedctl.EventType `json:"event_types,omitempty" doc:"The types of events to report. Default: those about problems: failures, warnings, refused logins and disabled webhooks." minItems:"1" uniqueItems:"true"`
	About           *schedctl.NotifyAbout `json:"about,omitempty" doc:"Which posts and series to report: all, or mine for those that this API key has made or submitted. Default: all for keys with posts:approve, and mine for others." enum:"all,mine"`
	ReviewLink      *string               `json:"review_link,omitempty" doc:"The name of a person, 1 to 80 characters: messages about submitted posts get the address of a share with this name, for this post and 7 days, which can decide if the key has posts:approve, and comment otherwise. Needs the scope shares:write, the event post.submitted, about all and a daemon with a public URL. Anyone who reads the message can open the address." minLength:"1" maxLength:"80" nullable:"true"`
	Name            *string               `json:"name,omitempty" doc:"1 to 80 characters; null or absent for none." minLength:"1" maxLength:"80" nullable:"true"`
	Enabled         *bool                 `json:"enabled,omitempty" doc:"Whether to report anything. Default: true."`
}

// EditNotification is the body of PATCH /notifications/{id}; absent fields stay as
// they are.
type EditNotification struct {
	SocialAccountID *string               `json:"social_account_id,omitempty" doc:"The account that carries the messages, instead of e-mail."`
	Email           *EmailSettings        `json:"email,omitempty" doc:"How to send e-mail, instead of through an account; it replaces all settings." nullable:"false"`
	EventTypes      *[]schedctl.EventType `json:"event_types,omitempty" doc:"The new list of types." minItems:"1" uniqueItems:"true"`
	About           *schedctl.NotifyAbout `json:"about,omitempty" doc:"Which posts and series to report: all, or mine for those that this API key has made or submitted." enum:"all,mine"`
	ReviewLink      *string               `json:"review_link,omitempty" doc:"As in POST /notifications; null or an empty text removes it." maxLength:"80" nullable:"true"`
	Name            *string               `json:"name,omitempty" doc:"The new name; null removes it." minLength:"1" maxLength:"80" nullable:"true"`
	Enabled         *bool                 `json:"enabled,omitempty" doc:"false disables it; true enables it for future events."`
}

// NewNotification returns the wire form of a webhook that is a notification. The caller adds
// the name and the end of its key.
func NewNotification(w schedctl.Webhook) Notification {
	n := Notification{
		ID: schedctl.NotificationID(w.ID), Name: optional(w.Name), EventTypes: append([]schedctl.EventType{}, w.EventTypes...),
		About: schedctl.NotifyAll, Enabled: w.Enabled, FailingSince: NewTime(w.FailingSince), CreatedAt: NewTime(w.CreatedAt), UpdatedAt: NewTime(w.UpdatedAt),
	}
	if w.Notify == nil {
		return n
	}
	n.About, n.ReviewLink = cmp.Or(w.Notify.About, schedctl.NotifyAll), optional(w.Notify.ReviewLink)
	if id := w.Notify.KeyID; id != "" {
		n.APIKey = &NotificationKey{ID: id}
	}
	n.SocialAccountID, n.LastError, n.SentAt = optional(w.Notify.AccountID), optional(w.Notify.LastError), NewTime(w.Notify.SentAt)
	if m := w.Notify.Mail; m != nil {
		n.Email = &NotificationEmail{
			Host: m.Host, Port: m.Port, Username: optional(m.Username), From: m.From, To: append([]string{}, m.To...), TLS: m.TLS,
		}
	}
	return n
}
