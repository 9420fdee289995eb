package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/publish"
)

// publisher returns the publisher of a platform.
func (s *Server) publisher(platform string) (publish.Publisher, error) {
	if p, ok := s.publishers[platform]; ok {
		return p, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(s.publishers)), ", ")
	return nil, schedctl.Errorf(schedctl.ValidationFailed, "platform", "unknown platform %q; use one of %s", clip(platform, 64), known)
}

// connectError returns the error that a client gets for a failed connection.
func connectError(p publish.Publisher, e *publish.Error) error {
	switch e.Kind {
	case schedctl.KindContent:
		return schedctl.Errorf(schedctl.ValidationFailed, fieldPath(p, e.Code), "%s", clip(e.Message, maxMessage))
	case schedctl.KindAuth:
		return refused(e.Message)
	}
	return &schedctl.Error{
		Code: schedctl.Unavailable, Err: e,
		Message: fmt.Sprintf("the account could not be verified, and nothing was changed; try again later: %s", clip(e.Message, maxMessage)),
	}
}

// maxMessage is the maximum number of bytes of a network's message in a response.
const maxMessage = 1024

func refused(words string) error {
	return schedctl.Errorf(schedctl.AccountVerificationFailed, "credentials", "the network rejected this account: %s", clip(words, maxMessage))
}

// fieldPath returns the request path of a platform's field.
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

// applyProfile updates an account from the profile that its network returned.
func applyProfile(a *schedctl.Account, p publish.Profile) {
	a.Username, a.DisplayName, a.ProfileURL, a.Limits = p.Username, p.DisplayName, p.URL, p.Limits
	connect.ApplyExpiry(a, p.Expiry, true)
	a.Status, a.Error = schedctl.AccountConnected, nil
	a.EndDisruption()
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
