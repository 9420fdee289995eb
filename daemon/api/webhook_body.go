package api

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// webhookChange holds the fields of a request for a webhook. Nil means "not given".
type webhookChange struct {
	hookChange
	url    *string
	secret string // empty to generate one
}

var (
	editWebhookFields   = []string{"url", "event_types", "name", "enabled"}
	createWebhookFields = append([]string{"secret"}, editWebhookFields...)
)

// readCreateWebhook reads the body of POST /webhooks.
func (s *Server) readCreateWebhook(d *decoder) (b webhookChange) {
	hasTypes := false
	d.object(createWebhookFields, func(name string) {
		if name == "secret" {
			b.secret = d.webhookSecret()
			return
		}
		hasTypes = hasTypes || name == "event_types"
		b.read(d, s.outbound, name)
	})
	d.require(b.url != nil, "url", "say where to call, such as https://example.com/hooks")
	d.require(hasTypes, "event_types", "name what to tell, such as "+string(schedctl.EventPostPublished))
	return b
}

// readEditWebhook reads the body of PATCH /webhooks/{id}.
func (s *Server) readEditWebhook(d *decoder) (b webhookChange) {
	empty := true
	d.object(editWebhookFields, func(name string) {
		empty = false
		b.read(d, s.outbound, name)
	})
	if empty && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give url, event_types, name or enabled")
	}
	return b
}

func (b *webhookChange) read(d *decoder, policy outbound.Policy, name string) {
	if name != "url" {
		b.hookChange.read(d, name, schedctl.EventTypes())
		return
	}
	b.url = new(d.webhookURL(policy))
}

// webhookURL reads a URL that the outbound policy allows.
func (d *decoder) webhookURL(policy outbound.Policy) string {
	text, ok := d.text()
	if !ok {
		return ""
	}
	address, err := parseEndpoint(text, policy)
	if err != nil {
		d.fault(schedctl.ValidationFailed, "%v", err)
	}
	return address
}

// parseEndpoint returns the normalized URL of a webhook. Its errors are shown to users
// and do not contain the URL, which may be a secret.
func parseEndpoint(text string, policy outbound.Policy) (string, error) {
	u, err := outbound.ParseURL(text)
	if err != nil {
		return "", err
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	return u.String(), policy.CheckHost(u.Hostname())
}

// eventTypes reads a list of event types from the allowed ones.
func (d *decoder) eventTypes(allowed []schedctl.EventType) []schedctl.EventType {
	types, good := choices(d, "event type", allowed)
	if good && len(types) == 0 {
		d.wrong(schedctl.ValidationFailed, "is empty; name one or more of %s", joinAll(allowed, ", "))
	}
	return types
}

// webhookName reads a name, or null for none.
func (d *decoder) webhookName() string {
	if d.null() {
		return ""
	}
	name, ok := d.text()
	n := utf8.RuneCountInString(name)
	switch {
	case !ok:
	case n == 0 || n > schedctl.MaxWebhookName:
		d.fault(schedctl.ValidationFailed, "the name has %d characters; use 1 to %d, or null for none", n, schedctl.MaxWebhookName)
	case strings.ContainsFunc(name, unicode.IsControl):
		d.fault(schedctl.ValidationFailed, "the name holds a control character; use printable characters")
	case strings.TrimSpace(name) != name:
		d.fault(schedctl.ValidationFailed, "the name starts or ends with white space; remove it")
	}
	return name
}

// webhookSecret reads a secret that the receiver already has. Error messages do not
// contain it.
func (d *decoder) webhookSecret() string {
	secret, ok := d.text()
	if !ok {
		return ""
	}
	if _, err := signing.ParseSecret(secret); err != nil {
		d.fault(schedctl.ValidationFailed, "%v; leave it out to have one made", err)
	}
	return secret
}
