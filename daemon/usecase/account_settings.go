package usecase

import (
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// AccountSettings are the values that a request sets on an account. Nil means "not given".
type AccountSettings struct {
	Name        *string
	Credentials publish.Credentials
	AppOf       string // the account whose developer app is used, or empty
	Options     schedctl.Options
	Existing    schedctl.Existing
}

// check returns nil when the platform has all given fields and the common options
// are valid. The publisher of the platform checks the other values.
func (b *AccountSettings) check(p publish.Publisher) error {
	if b.Name != nil {
		if err := schedctl.CheckAccountName(*b.Name); err != nil {
			return err
		}
	}
	credentials, options := fieldNames(p)
	var found Faults
	for _, name := range slices.Sorted(maps.Keys(b.Credentials)) {
		if !slices.Contains(credentials, name) && found.Count() {
			found.Add(unknownField(p, "credential", "credentials", name, credentials))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Options)) {
		option, common := publish.FindCommonOption(name)
		switch {
		case !slices.Contains(options, name):
			if found.Count() {
				found.Add(unknownField(p, "option", "options", name, options))
			}
		case common && b.Options[name] != nil:
			if problem := option.Problem(b.Options[name]); problem != "" && found.Count() {
				found.Add(Invalid(Join("options", name), "%s", problem))
			}
		}
	}
	return found.Err()
}

// clean removes from the given values what came along when they were copied.
func (c *Request) clean(p publish.Publisher, b *AccountSettings) {
	cleaned, notes := publish.CleanConnection(p.Fields(), publish.Connection{Credentials: b.Credentials, Options: b.Options})
	b.Credentials, b.Options, c.Cleaned = cleaned.Credentials, cleaned.Options, notes
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
	for _, name := range publish.CommonOptionNames(p) {
		if !slices.Contains(options, name) {
			options = append(options, name)
		}
	}
	return credentials, options
}

func unknownField(p publish.Publisher, kind, group, name string, known []string) schedctl.FieldError {
	name = Clip(name, maxName)
	return Invalid(Join(group, name), "%s has no %s %q; %s", p.Platform(), kind, name, Suggestion(name, known))
}

// checkBudget returns an error if the budget of the account, with the settings applied, is
// below the price of one reading.
func (b *AccountSettings) checkBudget(p publish.Publisher, before schedctl.Account) error {
	before.Platform = p.Platform()
	if err := publish.CheckResultsBudget(p, b.applied(before)); err != nil {
		return schedctl.Errorf(schedctl.ValidationFailed, Join("options", err.Code), "%s", err.Message)
	}
	return nil
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

// applied returns the account with the name and the options of the settings
// applied.
func (b *AccountSettings) applied(a schedctl.Account) schedctl.Account {
	set(&a.Name, b.Name)
	a.Options = merged(a.Options, b.Options)
	return a
}

// mayEdit returns nil when the account is connected or the settings connect it.
func (b *AccountSettings) mayEdit(a *schedctl.Account) error {
	if a.Status == schedctl.AccountDisconnected && b.Credentials == nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "credentials", "the account is disconnected and its secrets are erased; give credentials to connect it again")
	}
	return nil
}

// needsNetwork reports whether the network must verify the change: new credentials
// and new platform options. On platforms without credentials the name is the
// account's address, so a new name needs verification too.
func (b *AccountSettings) needsNetwork(p publish.Publisher) bool {
	for name := range b.Options {
		if _, common := publish.FindCommonOption(name); !common {
			return true
		}
	}
	credentials, _ := fieldNames(p)
	return b.Credentials != nil || (b.Name != nil && len(credentials) == 0)
}

// useApp adds the developer app of the account in app_of to the credentials. The caller
// must be allowed to use that account. Errors do not contain credentials.
func (s *Service) useApp(c *Request, view View, p publish.Publisher, b *AccountSettings) error {
	if b.AppOf == "" {
		return nil
	}
	if b.Credentials == nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "app_of", "app_of needs credentials: those of the account that the app of the other one cannot provide")
	}
	owner, err := c.appOwner(view, p, b.AppOf)
	if err != nil {
		return err
	}
	stored, err := s.Connector.Open(owner)
	if err != nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "app_of", "the stored credentials of this account cannot be decrypted; give the keys of the app")
	}
	all, found := maps.Clone(b.Credentials), false
	for _, f := range p.Fields() {
		switch {
		case !f.App || stored[f.Name] == "":
		case all[f.Name] != "":
			return schedctl.Errorf(schedctl.ValidationFailed, Join("credentials", f.Name), "app_of and %s exclude each other; give one", f.Name)
		default:
			all[f.Name], found = stored[f.Name], true
		}
	}
	if !found {
		return schedctl.Errorf(schedctl.ValidationFailed, "app_of", "this account has no keys of a developer app; give them in credentials")
	}
	b.Credentials = all
	return nil
}

// appOwner returns the account in app_of. An account that the caller may not use is as
// unknown as one of a different workspace.
func (c *Request) appOwner(view View, p publish.Publisher, id string) (owner schedctl.Account, err error) {
	err = view(func(r storage.Reader) error { owner, err = c.AccountByID(r, id); return err })
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return owner, schedctl.Errorf(schedctl.ValidationFailed, "app_of", "there is no account %q", Clip(id, maxName))
	case err != nil:
		return owner, err
	case owner.Platform != p.Platform():
		return owner, schedctl.Errorf(schedctl.ValidationFailed, "app_of", "this is an account of %s, and the app must be one of %s", owner.Platform, p.Platform())
	case owner.Status == schedctl.AccountDisconnected:
		return owner, schedctl.Errorf(schedctl.ValidationFailed, "app_of", "this account is disconnected and its secrets are erased; give the keys of the app")
	}
	return owner, nil
}
