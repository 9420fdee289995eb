package api

import (
	"maps"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
)

// addAccount is the body of POST /social-accounts.
type addAccount struct {
	platform string
	settings
}

// settings are the values that a request sets on an account. Nil means "not given".
type settings struct {
	name        *string
	credentials publish.Credentials
	appOf       string
	options     schedctl.Options
}

func readAddAccount(d *decoder) addAccount {
	b := readAs[apiv1.AddAccount, struct {
		Platform string `json:"platform"`
		apiv1.EditAccount
	}](d)
	return addAccount{b.Platform, newSettings(b.EditAccount)}
}

// readEditAccount reads the body of PATCH /social-accounts/{id}.
func readEditAccount(d *decoder) settings { return newSettings(read[apiv1.EditAccount](d)) }

func newSettings(b apiv1.EditAccount) settings {
	return settings{name: b.Name, credentials: b.Credentials, appOf: b.AppOf, options: b.Options}
}

// commonOptions are the options that accounts of every platform have: two durations, a
// boolean, and one with a single value.
var commonOptions = []string{"pacing", "duplicate_guard", schedctl.OptionRequireAlt, schedctl.OptionApproval}

// check returns nil when the platform has all given fields and the common options
// are valid. The publisher of the platform checks the other values.
func (b *settings) check(p publish.Publisher) error {
	if b.name != nil {
		if err := schedctl.CheckAccountName(*b.name); err != nil {
			return err
		}
	}
	credentials, options := fieldNames(p)
	var found fieldErrors
	for _, name := range slices.Sorted(maps.Keys(b.credentials)) {
		if !slices.Contains(credentials, name) && found.Count() {
			found.Add(unknownField(p, "credential", "credentials", name, credentials))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.options)) {
		switch {
		case !slices.Contains(options, name):
			if found.Count() {
				found.Add(unknownField(p, "option", "options", name, options))
			}
		case name == schedctl.OptionRequireAlt:
			if _, ok := b.options[name].(bool); !ok && b.options[name] != nil && found.Count() {
				found.Add(invalid(join("options", name), "%s must be true or false", name))
			}
		case name == schedctl.OptionApproval:
			if value := b.options[name]; value != nil && value != schedctl.ApprovalRequired && found.Count() {
				found.Add(invalid(join("options", name), "%s must be %q, or null to remove it", name, schedctl.ApprovalRequired))
			}
		case slices.Contains(commonOptions, name) && b.options[name] != nil && !goodDuration(b.options, name) && found.Count():
			found.Add(invalid(join("options", name), "%s must be a duration that is not negative, such as \"500ms\", \"10s\" or \"24h\"", name))
		}
	}
	return found.Err()
}

// fieldNames returns the names of a platform's credentials and options.
func fieldNames(p publish.Publisher) (credentials, options []string) {
	for _, f := range p.Fields() {
		if f.Option {
			options = append(options, f.Name)
		} else {
			credentials = append(credentials, f.Name)
		}
	}
	for _, name := range commonOptions {
		if !slices.Contains(options, name) {
			options = append(options, name)
		}
	}
	return credentials, options
}

func unknownField(p publish.Publisher, kind, group, name string, known []string) schedctl.FieldError {
	name = clip(name, maxName)
	return invalid(join(group, name), "%s has no %s %q; %s", p.Platform(), kind, name, suggestedName{name, known})
}

func goodDuration(o schedctl.Options, name string) bool {
	d, ok := o.Duration(name)
	return ok && d >= 0 && d <= 10*365*24*time.Hour
}

// merged returns the options with changes applied. A change to nil removes the
// option.
func merged(options, changes schedctl.Options) schedctl.Options {
	out := make(schedctl.Options, len(options)+len(changes))
	maps.Copy(out, options)
	for name, value := range changes {
		if value == nil {
			delete(out, name)
		} else {
			out[name] = value
		}
	}
	return out
}
