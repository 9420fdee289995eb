package api

import (
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// notificationChange holds the fields of a request for a notification. Nil means
// "not given".
type notificationChange struct {
	hookChange
	account *string
	mail    *mailSettings
}

func (b *notificationChange) hasPassword() bool { return b.mail != nil && b.mail.password != "" }

// mailSettings are the e-mail settings in a request.
type mailSettings struct {
	schedctl.Mail
	password string
}

var (
	notificationFields = []string{"social_account_id", "email", "event_types", "name", "enabled"}
	emailFields        = []string{"host", "port", "username", "password", "from", "to", "tls"}
)

// readCreateNotification reads the body of POST /notifications.
func (s *Server) readCreateNotification(d *decoder) (b notificationChange) {
	d.object(notificationFields, func(name string) { b.read(d, s.outbound, name) })
	d.require(b.account != nil || b.mail != nil, "social_account_id", "name the account that carries the messages, or give email")
	b.oneWay(d)
	return b
}

// readEditNotification reads the body of PATCH /notifications/{id}.
func (s *Server) readEditNotification(d *decoder) (b notificationChange) {
	empty := true
	d.object(notificationFields, func(name string) {
		empty = false
		b.read(d, s.outbound, name)
	})
	if empty && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give social_account_id, email, event_types, name or enabled")
	}
	b.oneWay(d)
	return b
}

// oneWay rejects a body with both an account and e-mail settings.
func (b *notificationChange) oneWay(d *decoder) {
	if b.account != nil && b.mail != nil {
		d.fault(schedctl.ValidationFailed, "give either social_account_id or email, not both")
	}
}

func (b *notificationChange) read(d *decoder, policy outbound.Policy, name string) {
	switch name {
	case "social_account_id":
		b.account = new(d.string())
	case "email":
		b.mail = d.mailSettings(policy)
	default:
		b.hookChange.read(d, name, schedctl.NotificationEvents())
	}
}

// mailSettings reads e-mail settings.
func (d *decoder) mailSettings(policy outbound.Policy) *mailSettings {
	b := &mailSettings{Mail: schedctl.Mail{TLS: schedctl.MailStartTLS}}
	given := map[string]bool{}
	d.object(emailFields, func(name string) {
		given[name] = true
		b.read(d, policy, name)
	})
	if d.err != nil {
		return b
	}
	d.require(given["host"], "host", "name the mail server, such as smtp.example.com")
	d.require(given["from"], "from", "name the sender, such as schedctl@example.com")
	d.require(given["to"], "to", "name the recipients, such as [\"ops@example.com\"]")
	if !given["port"] {
		b.Port = b.TLS.Port()
	}
	b.check(d, policy)
	return b
}

// check rejects settings that contradict each other.
func (b *mailSettings) check(d *decoder, policy outbound.Policy) {
	switch {
	case b.Username == "" && b.password != "":
		d.wrong(schedctl.ValidationFailed, "has a password but no username; give both or neither")
	case b.TLS == schedctl.MailPlain && b.Username != "":
		d.wrong(schedctl.ValidationFailed, "has a username and tls none; a password is sent only with TLS")
	case b.TLS == schedctl.MailPlain && policy != outbound.AllowPrivate:
		d.wrong(schedctl.ValidationFailed, "has tls none, which is for mail servers in private networks; start the daemon with --allow-private-networks to use them")
	}
}

func (b *mailSettings) read(d *decoder, policy outbound.Policy, name string) {
	switch name {
	case "host":
		b.Host = d.mailHost(policy)
	case "port":
		b.Port = d.port()
	case "username":
		b.Username = d.mailText("username")
	case "password":
		b.password = d.mailText("password")
	case "from":
		b.From = d.address(fullAddress)
	case "to":
		b.To = d.recipients()
	case "tls":
		b.TLS = d.mailTLS()
	}
}

// maxMailText is the maximum length of a mail server's username or password, in
// bytes.
const maxMailText = 500

// mailText reads a username or a password, or null for none. Its errors do not
// contain the value.
func (d *decoder) mailText(name string) string {
	if d.null() {
		return ""
	}
	text, ok := d.text()
	switch {
	case !ok:
	case len(text) > maxMailText:
		d.fault(schedctl.ValidationFailed, "the %s has %d bytes; at most %d are allowed", name, len(text), maxMailText)
	case strings.ContainsFunc(text, unicode.IsControl):
		d.fault(schedctl.ValidationFailed, "the %s contains a control character; use printable characters", name)
	}
	return text
}

var hostPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.?$`)

func isHostName(name string) bool {
	return len(strings.TrimSuffix(name, ".")) <= 253 && hostPattern.MatchString(name)
}

// mailHost reads the host name or IP address of a mail server.
func (d *decoder) mailHost(policy outbound.Policy) string {
	text, ok := d.text()
	if !ok {
		return ""
	}
	host := strings.ToLower(text)
	if _, err := netip.ParseAddr(host); err != nil && !isHostName(host) {
		d.fault(schedctl.ValidationFailed, "the host is not a valid host name; write it without a port, such as smtp.example.com")
		return ""
	}
	if err := policy.CheckHost(host); err != nil {
		d.fault(schedctl.ValidationFailed, "%v", err)
	}
	return host
}

// port reads a port number.
func (d *decoder) port() int {
	if d.peek() != '0' {
		d.mismatch("a number")
		return 0
	}
	n := d.number()
	if n != float64(int(n)) || n < 1 || n > 65535 {
		d.wrong(schedctl.ValidationFailed, "must be a number from 1 to 65535")
		return 0
	}
	return int(n)
}

func (d *decoder) mailTLS() schedctl.MailTLS {
	text, ok := d.text()
	for _, mode := range schedctl.MailTLSModes() {
		if text == string(mode) {
			return mode
		}
	}
	if ok {
		d.wrong(schedctl.ValidationFailed, "must be one of %s", joinAll(schedctl.MailTLSModes(), ", "))
	}
	return schedctl.MailStartTLS
}

// maxAddressBytes is the maximum length of an e-mail address with a name.
const maxAddressBytes = 320

func bareAddress(a *mail.Address) string { return a.Address }

// fullAddress returns the address with its name, if it has one.
func fullAddress(a *mail.Address) string {
	if a.Name == "" {
		return a.Address
	}
	return a.String()
}

// address reads an e-mail address.
func (d *decoder) address(form func(*mail.Address) string) string {
	text, ok := d.text()
	if !ok {
		return ""
	}
	a, err := parseMailAddress(text)
	if err != nil {
		d.fault(schedctl.ValidationFailed, "%v", err)
		return ""
	}
	return form(a)
}

func parseMailAddress(text string) (*mail.Address, error) {
	if len(text) > maxAddressBytes {
		return nil, fmt.Errorf("the e-mail address has %d bytes; at most %d are allowed", len(text), maxAddressBytes)
	}
	a, err := mail.ParseAddress(text)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("the e-mail address is not valid; it looks like ops@example.com")
	}
	return a, nil
}

// recipients reads the addresses of the recipients.
func (d *decoder) recipients() (list []string) {
	n := 0
	d.list("a list of e-mail addresses", func() {
		if n++; n > schedctl.MaxRecipients {
			d.skip()
			return
		}
		list = append(list, d.address(bareAddress))
	})
	if d.err == nil && (n == 0 || n > schedctl.MaxRecipients) {
		d.wrong(schedctl.ValidationFailed, "has %d addresses; give 1 to %d", n, schedctl.MaxRecipients)
	}
	return list
}
