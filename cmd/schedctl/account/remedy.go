package account

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// NeedsReconnect reports whether a refused account needs new credentials.
func NeedsReconnect(acct apiv1.Account) bool {
	return acct.Error != nil && acct.Error.Kind == schedctl.KindAuth && publish.HoldCode(cli.Deref(acct.Error.Code)).EndsCredentials()
}
