package api

import (
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
)

// createKey is the body of POST /api-keys. Nil stands for "not given".
type createKey struct {
	name       string
	scopes     []schedctl.Scope
	expiresAt  time.Time // zero for never
	accountIDs []string
}

var createKeyFields = []string{"name", "scopes", "expires_at", "social_account_ids"}

func readCreateKey(d *decoder) (b createKey) {
	named := false
	d.object("", createKeyFields, func(field string) {
		switch field {
		case "name":
			b.name, named = d.name(field), true
		case "scopes":
			b.scopes = d.scopes(field)
		case "expires_at":
			b.expiresAt = d.expiry(field)
		case "social_account_ids":
			if b.accountIDs = d.accountIDs(field); len(b.accountIDs) == 0 {
				d.fault(schedctl.InvalidSocialAccounts, field, "%s names no account; leave it out for a key without a limit", field)
			}
		}
	})
	d.require(named, "name", "say what the key is for")
	return b
}

// name reads a name that a person gave, by the rules for names of accounts.
func (d *decoder) name(path string) string {
	noted := len(d.faults)
	name := d.string(path)
	if d.err != nil || len(d.faults) > noted {
		return ""
	}
	if err := schedctl.CheckAccountName(name); err != nil {
		d.refuse(path, err)
	}
	return name
}

// refuse notes a refusal of a value that was read.
func (d *decoder) refuse(path string, err error) {
	e := asError(err)
	d.fault(e.Code, path, "%s", e.Message)
}

// scopes reads a list of one or more scopes without repeats.
func (d *decoder) scopes(path string) []schedctl.Scope {
	scopes := []schedctl.Scope{}
	d.list(path, "a list of scopes", func(i int) {
		at := path + "[" + strconv.Itoa(i) + "]"
		noted := len(d.faults)
		scope := schedctl.Scope(d.string(at))
		switch {
		case d.err != nil || len(d.faults) > noted:
		case !slices.Contains(schedctl.Scopes(), scope):
			d.fault(schedctl.ValidationFailed, at, "unknown scope %q; use some of %s", clip(string(scope), 64), joinAll(schedctl.Scopes(), ", "))
		case slices.Contains(scopes, scope):
			d.fault(schedctl.ValidationFailed, at, "the scope %s is there twice; name it once", scope)
		default:
			scopes = append(scopes, scope)
		}
	})
	if len(scopes) == 0 && d.err == nil && len(d.faults) == 0 {
		d.fault(schedctl.ValidationFailed, path, "%s names no scope; leave it out for the usual ones", path)
	}
	return scopes
}

// expiry reads a time, or null for never.
func (d *decoder) expiry(path string) time.Time {
	if d.null() {
		return time.Time{}
	}
	noted := len(d.faults)
	text := d.string(path)
	if d.err != nil || len(d.faults) > noted {
		return time.Time{}
	}
	at, advice := parseTime(text)
	if advice != "" {
		d.fault(schedctl.ValidationFailed, path, "%s %s", path, advice)
	}
	return at
}
