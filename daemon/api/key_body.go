package api

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// createKey is the body of POST /api-keys. Nil means "not given".
type createKey struct {
	name       string
	scopes     []schedctl.Scope
	expiresAt  time.Time // zero for never
	accountIDs []string
	agent      bool
	restricted bool // needs approvals
}

var createKeyFields = []string{"name", "scopes", "expires_at", "social_account_ids", "kind", "approval"}

func readCreateKey(d *decoder) (b createKey) {
	named := false
	d.object(createKeyFields, func(field string) {
		switch field {
		case "name":
			b.name, named = d.name(), true
		case "scopes":
			b.scopes = d.scopes()
		case "expires_at":
			b.expiresAt = d.expiry()
		case "kind":
			b.agent = d.oneOf(apiv1.KeyStandard, apiv1.KeyAgent) == apiv1.KeyAgent
		case "approval":
			b.restricted = d.oneOf(apiv1.ApprovalRequired) != ""
		case "social_account_ids":
			if b.accountIDs = d.accountIDs(); b.accountIDs != nil && len(b.accountIDs) == 0 {
				d.wrong(schedctl.InvalidSocialAccounts, "is empty; leave it out for a key without a limit")
			}
		}
	})
	d.require(named, "name", "say what the key is for")
	return b
}

// oneOf reads one of some texts. It returns the empty text after a fault.
func (d *decoder) oneOf(known ...string) string {
	text, ok := d.text()
	if ok && !slices.Contains(known, text) {
		d.fault(schedctl.ValidationFailed, "unknown value %q; use %s", clip(text, maxName), joinAll(known, " or "))
		return ""
	}
	return text
}

// name reads a name that a person chose. It follows the rules for account names.
func (d *decoder) name() string {
	name, ok := d.text()
	if !ok {
		return ""
	}
	if err := schedctl.CheckAccountName(name); err != nil {
		e := asError(err)
		d.fault(e.Code, "%s", e.Message)
	}
	return name
}

// scopes reads a non-empty list of distinct scopes.
func (d *decoder) scopes() []schedctl.Scope {
	scopes, good := choices(d, "scope", schedctl.Scopes())
	if good && len(scopes) == 0 {
		d.wrong(schedctl.ValidationFailed, "is empty; leave it out for the default scopes")
	}
	return scopes
}

// choices reads a list of distinct known values. It returns false after any fault.
func choices[T ~string](d *decoder, noun string, known []T) (chosen []T, good bool) {
	chosen, good = []T{}, d.peek() == '['
	names := textsOf(known)
	d.list("a list of strings", func() {
		text, ok := d.text()
		switch value := T(text); {
		case !ok:
			good = false
		case slices.Contains(chosen, value):
			d.fault(schedctl.ValidationFailed, "the %s %s appears twice; name it once", noun, value)
			good = false
		case !slices.Contains(known, value):
			shown := clip(text, maxName)
			d.fault(schedctl.ValidationFailed, "unknown %s %q; %s", noun, shown, suggestedName{shown, names})
			good = false
		default:
			chosen = append(chosen, value)
		}
	})
	return chosen, good && d.err == nil
}

// expiry reads a time, or null for never.
func (d *decoder) expiry() time.Time {
	if d.null() {
		return time.Time{}
	}
	text, ok := d.text()
	if !ok {
		return time.Time{}
	}
	return d.time(text, schedctl.ValidationFailed)
}
