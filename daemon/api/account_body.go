package api

import (
	"maps"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
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

var (
	editAccountFields = []string{"name", "credentials", "app_of", "options"}
	addAccountFields  = append([]string{"platform"}, editAccountFields...)
)

func readAddAccount(d *decoder) (b addAccount) {
	hasPlatform := false
	d.object(addAccountFields, func(name string) {
		if name == "platform" {
			b.platform, hasPlatform = d.string(), true
			return
		}
		b.read(d, name)
	})
	d.require(hasPlatform, "platform", "name the network, such as mastodon")
	return b
}

// readEditAccount reads the body of PATCH /social-accounts/{id}.
func readEditAccount(d *decoder) (b settings) {
	d.object(editAccountFields, func(name string) { b.read(d, name) })
	if b.name == nil && b.credentials == nil && b.appOf == "" && b.options == nil && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give name, credentials or options")
	}
	return b
}

func (b *settings) read(d *decoder, name string) {
	switch name {
	case "name":
		b.name = new(d.string())
	case "credentials":
		b.credentials = publish.Credentials{}
		d.settings(func(field string) { b.credentials[field] = d.string() })
	case "app_of":
		b.appOf = d.string()
	case "options":
		b.options = schedctl.Options{}
		d.settings(func(field string) { b.options[field] = d.value() })
	}
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
