package usecase

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// ConnectAccount verifies a new account with its network, outside of any transaction. Store
// it with [AddAccount].
func (s *Service) ConnectAccount(ctx context.Context, c *Request, view View, platform string, b AccountSettings) (a schedctl.Account, err error) {
	if c.Limited() {
		return a, schedctl.Errorf(schedctl.AccountNotAllowed, "", "this API key is limited to certain accounts and cannot connect others; use another key")
	}
	p, err := s.publisher(platform)
	if err != nil {
		return a, err
	}
	if err := cmp.Or(b.check(p), b.checkBudget(p, a)); err != nil {
		return a, err
	}
	c.clean(p, &b)
	if err := s.useApp(c, view, p, &b); err != nil {
		return a, err
	}
	name := ""
	set(&name, b.Name)
	options := merged(nil, b.Options)
	profile, credentials, failure := s.Connector.Connect(ctx, platform, publish.Connection{Name: name, Credentials: b.Credentials, Options: options})
	if failure != nil {
		return a, connectError(p, publish.WhileConnecting(failure))
	}
	now := schedctl.Millis(time.Now()) // the network request may have been slow
	a = schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: c.Key.WorkspaceID, Platform: platform,
		Name: cmp.Or(name, profile.Username), Options: options, CreatedAt: now, UpdatedAt: now,
	}
	applyProfile(&a, profile)
	if err := schedctl.CheckAccountName(a.Name); err != nil {
		return a, schedctl.Errorf(schedctl.ValidationFailed, "name", "the network's name for this account cannot be used; give it a name of your own")
	}
	a.Credentials, err = s.Connector.Seal(credentials, a.ID)
	return a, err
}

// AddAccount stores a verified account, with the blackouts and the policy of its workspace.
func AddAccount(tx storage.Tx, a *schedctl.Account) error {
	if err := adoptBlackouts(tx, a); err != nil {
		return err
	}
	w, err := tx.Workspace(a.WorkspaceID)
	if err != nil {
		return err
	}
	a.Approvals = w.Approvals
	return tx.PutAccount(*a)
}

// AccountChange changes an account in a transaction, and returns the events of the change.
type AccountChange func(*schedctl.Account) ([]schedctl.Event, error)

// ChangeAccount verifies new settings of the account of the request with its network, if the
// network must verify them. New credentials replace all old ones. Store the change with
// [Request.StoreAccount].
func (s *Service) ChangeAccount(ctx context.Context, c *Request, view View, b AccountSettings) (AccountChange, error) {
	before, p, err := s.accountWithPublisher(c, view)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(b.check(p), b.mayEdit(&before), b.checkBudget(p, before)); err != nil {
		return nil, err
	}
	c.clean(p, &b)
	if err := s.useApp(c, view, p, &b); err != nil {
		return nil, err
	}
	verified := func(*schedctl.Account) {}
	if b.needsNetwork(p) {
		if verified, err = s.reconnect(ctx, p, before, b); err != nil {
			return nil, err
		}
	}
	return func(a *schedctl.Account) ([]schedctl.Event, error) {
		if err := b.mayEdit(a); err != nil {
			return nil, err
		}
		*a = b.applied(*a)
		verified(a)
		return nil, nil
	}, nil
}

// VerifyAccount asks the network of the account of the request whether it accepts the
// account. Both results are changes.
func (s *Service) VerifyAccount(ctx context.Context, c *Request, view View) (AccountChange, error) {
	before, p, err := s.accountWithPublisher(c, view)
	if err != nil {
		return nil, err
	}
	if err := new(AccountSettings).mayEdit(&before); err != nil {
		return nil, err
	}
	verdict, failure := s.Connector.Check(ctx, before)
	if failure != nil {
		return nil, connectError(p, failure)
	}
	return func(a *schedctl.Account) ([]schedctl.Event, error) {
		events := verdict.Apply(a, c.Now)
		a.EndPause() // a person wants the next post tried now
		return events, nil
	}, nil
}

// accountWithPublisher returns the account of the request and the publisher of its platform.
func (s *Service) accountWithPublisher(c *Request, view View) (a schedctl.Account, p publish.Publisher, err error) {
	if err = view(func(r storage.Reader) error { a, err = c.Account(r); return err }); err != nil {
		return a, nil, err
	}
	p, err = s.publisher(a.Platform)
	return a, p, err
}

// reconnect verifies the changed account with its network. It returns the function
// that updates the stored account.
func (s *Service) reconnect(ctx context.Context, p publish.Publisher, before schedctl.Account, b AccountSettings) (func(*schedctl.Account), error) {
	after := b.applied(before)
	if b.Credentials == nil {
		return s.recheck(ctx, p, after)
	}
	given := publish.Connection{Name: after.Name, Credentials: b.Credentials, Options: after.Options}
	profile, credentials, failure := s.Connector.Connect(ctx, p.Platform(), given)
	if failure != nil {
		return nil, connectError(p, publish.WhileConnecting(failure))
	}
	if err := refuseAnother(p, &before, s.Connector.Identity(before), profile); err != nil {
		return nil, err
	}
	sealed, err := s.Connector.Seal(credentials, before.ID)
	if err != nil {
		return nil, err
	}
	return func(a *schedctl.Account) {
		a.Credentials = sealed
		applyProfile(a, profile)
	}, nil
}

// recheck is reconnect for unchanged credentials.
func (s *Service) recheck(ctx context.Context, p publish.Publisher, after schedctl.Account) (func(*schedctl.Account), error) {
	verdict, failure := s.Connector.Check(ctx, after)
	if failure != nil {
		return nil, connectError(p, failure)
	}
	now := time.Now()
	if verdict.Apply(&after, now); verdict.Refused() {
		return nil, refused(after.Error.Message)
	}
	return func(a *schedctl.Account) { verdict.Apply(a, now) }, nil
}

// publisher returns the publisher of a platform.
func (s *Service) publisher(platform string) (publish.Publisher, error) {
	if p, ok := s.Publishers[platform]; ok {
		return p, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(s.Publishers)), ", ")
	return nil, schedctl.Errorf(schedctl.ValidationFailed, "platform", "unknown platform %q; use one of %s", Clip(platform, 64), known)
}

// connectError returns the error that a client gets for a failed connection.
func connectError(p publish.Publisher, e *publish.Error) error {
	switch e.Kind {
	case schedctl.KindContent:
		return schedctl.Errorf(schedctl.ValidationFailed, fieldPath(p, e.Code), "%s", Clip(e.Message, maxMessage))
	case schedctl.KindAuth:
		return refused(e.Message)
	}
	return &schedctl.Error{
		Code: schedctl.Unavailable, Err: e,
		Message: fmt.Sprintf("the account could not be verified, and nothing was changed; try again later: %s", Clip(e.Message, maxMessage)),
	}
}

func refused(words string) error {
	return schedctl.Errorf(schedctl.AccountVerificationFailed, "credentials", "the network rejected this account: %s", Clip(words, maxMessage))
}

// fieldPath returns the request path of a platform's field.
func fieldPath(p publish.Publisher, field string) string {
	credentials, options := fieldNames(p)
	switch {
	case slices.Contains(credentials, field):
		return Join("credentials", field)
	case slices.Contains(options, field):
		return Join("options", field)
	}
	return field
}

// applyProfile updates an account from the profile that its network returned.
func applyProfile(a *schedctl.Account, p publish.Profile) {
	a.Username, a.DisplayName, a.ProfileURL, a.Limits = p.Username, p.DisplayName, p.URL, p.Limits
	connect.ApplyExpiry(a, p.Expiry, true)
	a.Warnings = p.Warnings
	a.Accepted()
}

// receivers are the platforms whose accounts are an address that the user owns, not
// a user of a network. The owner may move the address.
var receivers = []string{"http"}

// refuseAnother returns an error when new credentials belong to a different user of
// the network, or publish to a different page or channel. Waiting posts of the
// account were written for its followers. known is the stored identity of the
// account, empty if the network never reported one.
func refuseAnother(p publish.Publisher, a *schedctl.Account, known string, now publish.Profile) error {
	credentials, _ := fieldNames(p)
	switch {
	case len(credentials) == 0, slices.Contains(receivers, a.Platform):
		return nil
	case known != "" && now.Identity != "":
		if known == now.Identity {
			return nil
		}
	case samePage(a, now):
		return nil
	}
	if strings.EqualFold(a.Username, now.Username) {
		return schedctl.Errorf(schedctl.AccountVerificationFailed, "credentials",
			"these credentials of %s post to a different room, channel or chat than the account; connect them as a new account", now.Username)
	}
	return schedctl.Errorf(schedctl.AccountVerificationFailed, "credentials",
		"these credentials are for %s, and the account is %s; connect %[1]s as a new account", now.Username, a.Username)
}

// samePage reports whether the new credentials belong to the same account, judging
// by its profile. On networks with identities one user can own several pages:
// without a profile URL their names must match. On other networks, accounts without
// a profile URL are assumed to be the same.
func samePage(a *schedctl.Account, now publish.Profile) bool {
	sameUser, sameTitle := strings.EqualFold(a.Username, now.Username), a.DisplayName == now.DisplayName
	switch {
	case now.Identity == "":
		return a.ProfileURL == "" || now.URL == "" || a.ProfileURL == now.URL || sameUser
	case a.ProfileURL == "" && now.URL == "":
		return sameUser && sameTitle
	}
	return a.ProfileURL == now.URL && (sameUser || sameTitle)
}
