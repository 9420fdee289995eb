package access

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewMe(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Me](&cobra.Command{
		Use:   "me",
		Short: "Show whose API key this is and what it may do",
		Long: `Show which daemon responds, which workspace the API key belongs to, and what the key
may do. A good first check.`,
		Example: `  schedctl me
  schedctl me --url http://127.0.0.1:7733 --api-key-file ~/key --json`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error { return showMe(ctx, a, c) }),
	})
}

func showMe(ctx context.Context, a *cli.App, c *client.Client) error {
	me, err := c.Me(ctx)
	if err != nil {
		return err
	}
	return a.PrintObject(me, me.Workspace.ID, []cli.Property{
		{Name: "Daemon", Value: c.URL()},
		{Name: "Workspace", Value: me.Workspace.Name},
		{Name: "Workspace id", Value: me.Workspace.ID},
		{Name: "Time zone", Value: me.Workspace.Timezone},
		{Name: "Plan", Value: me.Workspace.Plan}, {Name: "Approvals", Value: approvalWords(me.Workspace)},
		{Name: "Locale", Value: me.Workspace.Locale},
		{Name: "Key", Value: me.APIKey.Name},
		{Name: "Key id", Value: me.APIKey.ID},
		{Name: "Scopes", Value: cli.JoinStrings(me.APIKey.Scopes, " ")},
		{Name: "Expires", Value: cli.FirstNonEmpty(a.TimeText(me.APIKey.ExpiresAt), "never")},
	})
}
