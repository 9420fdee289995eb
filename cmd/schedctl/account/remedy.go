package account

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// sameCredentials are the holds that end with the credentials that an account has, once a
// person has done what the error says.
var sameCredentials = []publish.HoldCode{publish.HoldCredits, publish.HoldBlocked, publish.HoldVersion}

// NeedsReconnect reports whether a refused account needs new credentials.
func NeedsReconnect(acct apiv1.Account) bool {
	return acct.Error != nil && acct.Error.Kind == schedctl.KindAuth && !slices.Contains(sameCredentials, publish.HoldCode(cli.Deref(acct.Error.Code)))
}
