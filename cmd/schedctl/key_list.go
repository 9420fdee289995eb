package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newKeyList(a *app) *cobra.Command {
	return prints[apiv1.APIKey](&cobra.Command{
		Use:   "list",
		Short: "List API keys",
		Long: `List the API keys of the workspace, the oldest first, also those that have expired or
were revoked. "schedctl audit" shows the changes that were made with a key.`,
		Example: `  schedctl key list
  schedctl key list --jq '.[] | select(.revoked_at == null and .last_used_at == null) | .name'`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listKeys(cmd.Context()) },
	})
}

func (a *app) listKeys(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	keys, err := c.APIKeys(ctx)
	if err != nil {
		return err
	}
	return a.printKeys(keys)
}
