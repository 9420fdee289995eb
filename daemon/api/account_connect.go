package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// connectTimeout bounds the call to a network that verifies an account.
const connectTimeout = 20 * time.Second

// publisher returns the publisher of a platform.
func (s *server) publisher(platform string) (publish.Publisher, error) {
	if p, ok := s.publishers[platform]; ok {
		return p, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(s.publishers)), ", ")
	return nil, schedctl.Errorf(schedctl.ValidationFailed, "platform", "unknown platform %q; use one of %s", clip(platform, 64), known)
}

// connect asks the network who the credentials are for.
func connect(ctx context.Context, p publish.Publisher, c publish.Connection) (publish.Profile, *publish.Error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	own := make(schedctl.Options, len(c.Options))
	for name, value := range c.Options {
		if !slices.Contains(commonOptions, name) {
			own[name] = value
		}
	}
	c.Options = own
	profile, err := p.Connect(ctx, c)
	if err == nil {
		return printable(profile), nil
	}
	e := *publish.AsError(err)
	e.Message = presentable(e.Message, p, c.Credentials)
	return publish.Profile{}, &e
}

// connectError is what the client is told about a connection that failed.
func connectError(p publish.Publisher, e *publish.Error) error {
	switch e.Kind {
	case schedctl.KindContent:
		return schedctl.Errorf(schedctl.ValidationFailed, fieldPath(p, e.Code), "%s", e.Message)
	case schedctl.KindAuth:
		return schedctl.Errorf(schedctl.AccountVerificationFailed, "credentials", "the network refuses this account: %s", e.Message)
	}
	return &schedctl.Error{
		Code: schedctl.Unavailable, Err: e,
		Message: fmt.Sprintf("the account could not be verified and nothing was changed; try again later: %s", e.Message),
	}
}

// fieldPath returns where in a request a platform's field is.
func fieldPath(p publish.Publisher, field string) string {
	credentials, options := fieldNames(p)
	switch {
	case slices.Contains(credentials, field):
		return join("credentials", field)
	case slices.Contains(options, field):
		return join("options", field)
	}
	return field
}

// presentable returns a network's words without control characters, without
// anything they repeat of the credentials, and at most 500 bytes of them.
func presentable(message string, p publish.Publisher, c publish.Credentials) string {
	for _, f := range p.Fields() {
		if secret := c[f.Name]; f.Secret && len(secret) >= 4 {
			message = strings.ReplaceAll(message, secret, "…")
		}
	}
	return clip(withoutControls(message), 500)
}

func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
}

// printable bounds and cleans what a network says about an account.
func printable(p publish.Profile) publish.Profile {
	p.Username = clip(withoutControls(p.Username), 500)
	p.DisplayName = clip(withoutControls(p.DisplayName), 500)
	p.URL = clip(withoutControls(p.URL), 2000)
	return p
}

// applyProfile brings an account in line with what its network just said.
func applyProfile(a *schedctl.Account, p publish.Profile) {
	a.Username, a.DisplayName, a.ProfileURL, a.Limits = p.Username, p.DisplayName, p.URL, p.Limits
	a.Status, a.Error = schedctl.AccountConnected, nil
}

// sealCredentials returns credentials as they are stored.
func (s *server) sealCredentials(c publish.Credentials, accountID string) ([]byte, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, internal(err)
	}
	return s.sealer.Seal(plain, accountID), nil
}

// openCredentials returns the credentials of an account.
func (s *server) openCredentials(a schedctl.Account) (c publish.Credentials, err error) {
	plain, err := s.sealer.Open(a.Credentials, a.ID)
	if err == nil {
		err = json.Unmarshal(plain, &c)
	}
	if err != nil {
		return nil, internal(fmt.Errorf("open the credentials of %s: %w", a.ID, err))
	}
	return c, nil
}
