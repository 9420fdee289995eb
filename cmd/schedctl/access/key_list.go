package access

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newKeyList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.APIKey](&cobra.Command{
		Use:   "list",
		Short: "List API keys",
		Long: `List the API keys of the workspace, oldest first. Expired and revoked keys are listed
too. "schedctl audit" shows the changes that were made with a key.`,
		Example: `  schedctl key list
  schedctl key list --jq '.[] | select(.revoked_at == null and .last_used_at == null) | .name'`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			keys, err := c.APIKeys(ctx)
			if err != nil {
				return err
			}
			return printKeys(a, keys)
		}),
	})
}
