package account

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// AddSeveral defines a repeatable flag --account for an object that names accounts or
// is for all of them.
func AddSeveral(a *cli.App, cmd *cobra.Command, refs *[]string, usage string) {
	cmd.Flags().StringArrayVar(refs, "account", nil, usage)
	cmd.RegisterFlagCompletionFunc("account", Complete(a))
}

// IDsOrAll returns the ids of the accounts that the flags of [AddSeveral] name. It
// returns an empty list for "all", which includes accounts that are connected later.
func IDsOrAll(ctx context.Context, a *cli.App, c *client.Client, refs []string) ([]string, error) {
	if slices.Contains(refs, everyAccount) {
		if len(refs) > 1 {
			return nil, cli.UsageError("--account all includes every account").WithHint("give it alone")
		}
		return []string{}, nil
	}
	ids, err := Recipients(ctx, a, c, refs)
	return append([]string{}, ids...), err
}

// Names returns a function that describes a list of account ids for people: names, or
// "all accounts" for an empty list. Without the scope to read accounts, ids are shown.
func Names(ctx context.Context, a *cli.App, c *client.Client) func(ids []string) string {
	names := map[string]string{}
	if a.OutTerminal && !a.Quiet && !a.JSON.Given {
		list, _ := c.Accounts(ctx, client.AccountQuery{Status: "all"})
		for _, acct := range list {
			names[acct.ID] = acct.Name
		}
	}
	return func(ids []string) string {
		if len(ids) == 0 && a.OutTerminal {
			return "all accounts"
		}
		return strings.Join(cli.Map(ids, func(id string) string { return cli.FirstNonEmpty(names[id], id) }), ",")
	}
}
