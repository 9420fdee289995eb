package nostr

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// received is a message of a relay (NIP-01, NIP-42). Members that the kind of message
// does not have are empty.
type received struct {
	label     string // OK, EVENT, EOSE, CLOSED, NOTICE or AUTH
	id        string // of the event (OK) or the subscription (EVENT, EOSE, CLOSED)
	accepted  bool   // OK
	text      string // OK, CLOSED, NOTICE; the challenge of AUTH
	event     event  // EVENT; neither its id nor its signature is verified
	malformed bool
}

// parseMessage parses a message. A message that is not valid is malformed.
func parseMessage(text []byte) received {
	var items []json.RawMessage
	if json.Unmarshal(text, &items) != nil || len(items) < 2 {
		return received{malformed: true}
	}
	var m received
	read := func(i int, into any) {
		if i >= len(items) || json.Unmarshal(items[i], into) != nil {
			m.malformed = true
		}
	}
	read(0, &m.label)
	switch m.label {
	case "OK":
		read(1, &m.id)
		read(2, &m.accepted)
		if len(items) > 3 { // some relays leave it out
			read(3, &m.text)
		}
	case "EVENT":
		read(1, &m.id)
		read(2, &m.event)
	case "CLOSED":
		read(1, &m.id)
		if len(items) > 2 {
			read(2, &m.text)
		}
	case "EOSE":
		read(1, &m.id)
	case "NOTICE", "AUTH":
		read(1, &m.text)
	}
	return m
}

// prefix returns the machine-readable prefix of a text, such as "blocked", or the empty
// string.
func prefix(text string) string {
	name, _, found := strings.Cut(text, ":")
	if !found || len(name) > 20 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return ""
	}
	return name
}

// prefixAuth is the prefix of a relay that demands authentication.
const prefixAuth = "auth-required"

// refusals are what prefixes of refused events mean.
var refusals = map[string]struct {
	kind    schedctl.ErrorKind
	outcome schedctl.Outcome
	message string
}{
	prefixAuth:     {schedctl.KindAuth, schedctl.OutcomeNotPublished, "did not accept the key as a login; use another relay, or ask its operator for access"},
	"blocked":      {schedctl.KindAuth, schedctl.OutcomeNotPublished, "blocks the account or this computer; use another relay, or ask its operator"},
	"restricted":   {schedctl.KindAuth, schedctl.OutcomeNotPublished, "takes posts only from its members; use another relay, or ask its operator for access"},
	"rate-limited": {schedctl.KindRateLimited, schedctl.OutcomeNotPublished, "asks for fewer posts"},
	"invalid":      {schedctl.KindContent, schedctl.OutcomeNotPublished, "refused the post as invalid"},
	"pow":          {schedctl.KindContent, schedctl.OutcomeNotPublished, "demands proof of work, which schedctl does not do; use another relay"},
	// A relay with an internal error may have stored the event. Sending it again is safe.
	"error": {schedctl.KindPlatform, schedctl.OutcomeUnknown, "had an internal error"},
}

// refusalOf returns the error for a relay that did not accept an event.
func refusalOf(host, text string, hidden ...string) *publish.Error {
	name := prefix(text)
	e := &publish.Error{Kind: schedctl.KindPlatform, Code: name, Outcome: schedctl.OutcomeNotPublished, Message: host + " refused the post"}
	if m, known := refusals[name]; known {
		e.Kind, e.Outcome, e.Message = m.kind, m.outcome, host+" "+m.message
	}
	body, _ := json.Marshal(strings.TrimSpace(strings.TrimPrefix(text, name+":")))
	return outbound.WithErrorText(e, outbound.ErrorText(outbound.Response{Body: body}, hidden...))
}

// handshakeRefusal returns the error for a relay that refused the connection. Nothing was
// sent to it.
func handshakeRefusal(host string, a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, purpose, now)
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Kind == schedctl.KindAuth, a.Status == 403 && e.Kind == schedctl.KindContent:
		e.Message = host + " refuses connections from this computer; use another relay, or ask its operator"
	case a.Status == 200 || a.Status == 404 || a.Status == 426:
		e.Kind, e.Message = schedctl.KindPlatform, "there is no relay at this address of "+host
	default:
		e.Message = host + ": " + e.Message
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}
