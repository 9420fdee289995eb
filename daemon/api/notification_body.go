package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// notificationChange holds the fields of a request for a notification.
type notificationChange struct {
	apiv1.EditNotification
	mail *mailSettings // nil if they are not given
}

func (b *notificationChange) hasPassword() bool { return b.mail != nil && b.mail.password != "" }

// mailSettings are the e-mail settings in a request.
type mailSettings struct {
	schedctl.Mail
	password string
}

// readCreateNotification reads the body of POST /notifications.
func (s *Server) readCreateNotification(d *decoder) notificationChange {
	d.policy = s.outbound
	b := readAs[apiv1.CreateNotification, apiv1.EditNotification](d)
	d.require(b.SocialAccountID != nil || b.Email != nil, "social_account_id", "name the account that carries the messages, or give email")
	return d.notification(b)
}

// readEditNotification reads the body of PATCH /notifications/{id}.
func (s *Server) readEditNotification(d *decoder) notificationChange {
	d.policy = s.outbound
	return d.notification(read[apiv1.EditNotification](d))
}

// notification adds faults for settings that contradict each other.
func (d *decoder) notification(b apiv1.EditNotification) notificationChange {
	out := notificationChange{EditNotification: b}
	if b.Email != nil {
		out.mail = newMailSettings(b.Email)
		if text := out.mail.contradiction(d.policy); text != "" && d.err == nil && d.faults.Count() {
			d.faults.Add(invalid("email", "email %s", text))
		}
	}
	if b.SocialAccountID != nil && b.Email != nil {
		d.fault(schedctl.ValidationFailed, "give either social_account_id or email, not both")
	}
	return out
}

func newMailSettings(in *apiv1.EmailSettings) *mailSettings {
	b := &mailSettings{Mail: schedctl.Mail{Host: in.Host, From: in.From, To: in.To, TLS: schedctl.MailStartTLS}}
	set(&b.Username, in.Username)
	set(&b.password, in.Password)
	set(&b.TLS, in.TLS)
	b.Port = b.TLS.Port()
	set(&b.Port, in.Port)
	return b
}

// contradiction says which settings contradict each other, empty for none.
func (b *mailSettings) contradiction(policy outbound.Policy) string {
	switch {
	case b.Username == "" && b.password != "":
		return "has a password but no username; give both or neither"
	case b.TLS == schedctl.MailPlain && b.Username != "":
		return "has a username and tls none; a password is sent only with TLS"
	case b.TLS == schedctl.MailPlain && policy != outbound.AllowPrivate:
		return "has tls none, which is for mail servers in private networks; start the daemon with --allow-private-networks to use them"
	}
	return ""
}
