package account

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// hasApp reports whether accounts of a platform use a developer app.
func hasApp(platform string) bool {
	return slices.ContainsFunc(platformFields(platform), func(f publish.Field) bool { return f.App })
}

// findApp returns the id of the account in --app-of, or the empty string, and removes the
// fields of the app from the connection.
func (o *ConnectFlags) findApp(ctx context.Context, c *client.Client, conn *connection) (string, error) {
	if o.appOf == "" {
		return "", nil
	}
	if publishers()[conn.platform] != nil && !hasApp(conn.platform) {
		return "", cli.UsageError("--app-of: accounts of %s use no developer app", conn.platform)
	}
	for _, f := range conn.fields {
		if f.App && conn.values[f.Name] != "" {
			return "", cli.UsageError("--app-of and %s exclude each other: give one", f.Name)
		}
	}
	acct, err := ByName(ctx, o.App, c, o.appOf)
	if err != nil {
		return "", err
	}
	if acct.Platform != conn.platform {
		return "", cli.UsageError("--app-of: %s is an account of %s, and the app must be one of %s", cli.OneLine(acct.Name), acct.Platform, conn.platform)
	}
	conn.withoutApp()
	return acct.ID, nil
}

// completeAppOf offers the accounts of the given platform that may have an app.
func completeAppOf(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		a.AskDaemon(cmd, func(ctx context.Context, c *client.Client) {
			list, err := c.Accounts(ctx, client.AccountQuery{})
			if err != nil {
				return
			}
			for _, acct := range list {
				given := cmd.Name() == "add" && len(args) > 0
				if hasApp(acct.Platform) && (!given || acct.Platform == args[0]) {
					out = append(out, cli.OneLine(acct.Name)+"\t"+acct.Platform)
				}
			}
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
