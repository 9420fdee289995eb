package apiv1

import "github.com/schedctl/schedctl"

// Notification sends messages about failures to people, through an account or by
// e-mail; exactly one of SocialAccountID and Email is set. It never carries the
// password of a mail server.
type Notification struct {
	ID              string               `json:"id"`
	Name            *string              `json:"name"`
	SocialAccountID *string              `json:"social_account_id"`
	Email           *NotificationEmail   `json:"email"`
	EventTypes      []schedctl.EventType `json:"event_types"`
	Enabled         bool                 `json:"enabled"`
	SentAt          *Time                `json:"sent_at"`
	FailingSince    *Time                `json:"failing_since"`
	LastError       *string              `json:"last_error"`
	CreatedAt       *Time                `json:"created_at"`
	UpdatedAt       *Time                `json:"updated_at"`
}

// NotificationEmail says how e-mail is sent.
type NotificationEmail struct {
	Host     string           `json:"host"`
	Port     int              `json:"port"`
	Username *string          `json:"username"`
	From     string           `json:"from"`
	To       []string         `json:"to"`
	TLS      schedctl.MailTLS `json:"tls"`
}

// NotificationEnvelope is the response to requests about one notification.
type NotificationEnvelope struct {
	Notification Notification `json:"notification"`
}

// NotificationList is all notifications in order of creation.
type NotificationList struct {
	Results []Notification `json:"results"`
	Count   int            `json:"count"`
}

// NotificationTest is the response of POST /notifications/{id}/test.
type NotificationTest struct {
	Notification Notification `json:"notification"`
	Sent         bool         `json:"sent"`
	Error        *string      `json:"error"` // null when the message was sent
}

// EmailSettings are the settings of e-mail in a request.
type EmailSettings struct {
	Host     string            `json:"host"`
	Port     *int              `json:"port,omitempty"`
	Username *string           `json:"username,omitempty"`
	Password *string           `json:"password,omitempty"`
	From     string            `json:"from"`
	To       []string          `json:"to"`
	TLS      *schedctl.MailTLS `json:"tls,omitempty"`
}

// CreateNotification is the body of POST /notifications. It has a SocialAccountID
// or an Email.
type CreateNotification struct {
	SocialAccountID *string               `json:"social_account_id,omitempty"`
	Email           *EmailSettings        `json:"email,omitempty"`
	EventTypes      *[]schedctl.EventType `json:"event_types,omitempty"`
	Name            *string               `json:"name,omitempty"`
	Enabled         *bool                 `json:"enabled,omitempty"`
}

// EditNotification is the body of PATCH /notifications/{id}; absent fields stay as
// they are.
type EditNotification struct {
	SocialAccountID *string               `json:"social_account_id,omitempty"`
	Email           *EmailSettings        `json:"email,omitempty"`
	EventTypes      *[]schedctl.EventType `json:"event_types,omitempty"`
	Name            *string               `json:"name,omitempty"`
	Enabled         *bool                 `json:"enabled,omitempty"`
}

// NewNotification returns the wire form of a webhook that is a notification.
func NewNotification(w schedctl.Webhook) Notification {
	n := Notification{
		ID: schedctl.NotificationID(w.ID), Name: optional(w.Name), EventTypes: append([]schedctl.EventType{}, w.EventTypes...),
		Enabled: w.Enabled, FailingSince: NewTime(w.FailingSince), CreatedAt: NewTime(w.CreatedAt), UpdatedAt: NewTime(w.UpdatedAt),
	}
	if w.Notify == nil {
		return n
	}
	n.SocialAccountID, n.LastError, n.SentAt = optional(w.Notify.AccountID), optional(w.Notify.LastError), NewTime(w.Notify.SentAt)
	if m := w.Notify.Mail; m != nil {
		n.Email = &NotificationEmail{
			Host: m.Host, Port: m.Port, Username: optional(m.Username), From: m.From, To: append([]string{}, m.To...), TLS: m.TLS,
		}
	}
	return n
}
