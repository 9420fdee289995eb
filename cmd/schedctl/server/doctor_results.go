package server

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// resultsAreRead names what holds up the readings of the results of accounts, and what their
// networks refused of them.
func (d *doctor) resultsAreRead(list []apiv1.Account) {
	for _, acct := range list {
		r, see := acct.Results, "see: schedctl account show "+acct.ID
		if r.State == apiv1.AccountResultsDelayed && cli.Deref(r.Reason) == schedctl.ResultsBudget {
			d.warn("results", see, "%s (%s): a limit of its readings is used up", acct.Name, acct.Platform)
		}
		if len(r.DroppedMetrics) > 0 {
			d.warn("results", see, "%s (%s): the network no longer has %s", acct.Name, acct.Platform, cli.Enumerate(r.DroppedMetrics))
		}
		if len(r.MissingScopes) > 0 {
			d.warn("results", "schedctl account reconnect "+acct.ID, "%s (%s): numbers need the permission %s", acct.Name, acct.Platform, cli.Enumerate(r.MissingScopes))
		}
	}
}
