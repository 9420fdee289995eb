package postlist

import (
	"fmt"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// GroupName returns a group as people write it.
func GroupName(g apiv1.AccountGroup) string { return "@" + screen.OneLine(g.Name) }

// GroupFault says why a group cannot be chosen, or is empty.
func GroupFault(g apiv1.AccountGroup) string {
	switch {
	case g.HiddenAccounts > 0:
		return fmt.Sprintf("%s has %s that your key may not use: choose accounts instead", GroupName(g), screen.Plural(g.HiddenAccounts, "account"))
	case len(g.SocialAccountIDs) == 0:
		return GroupName(g) + " has no account"
	}
	return ""
}
