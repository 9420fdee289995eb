package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newMe(a *app) *cobra.Command {
	return prints[apiv1.Me](&cobra.Command{
		Use:   "me",
		Short: "Show whose API key this is and what it may do",
		Long:  "Show which daemon responds, which workspace the API key belongs to, and what the key may do. A good first check.",
		Example: `  schedctl me
  schedctl me --url http://127.0.0.1:7733 --api-key-file ~/key --json`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.me(cmd.Context()) },
	})
}

func (a *app) me(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	me, err := c.Me(ctx)
	switch {
	case err != nil:
		return err
	case a.json.set:
		return a.printJSON(me)
	case a.quiet:
		return a.printIDs(me.Workspace.ID)
	}
	scopes := make([]string, len(me.APIKey.Scopes))
	for i, s := range me.APIKey.Scopes {
		scopes[i] = string(s)
	}
	return a.write(a.describe([]pair{
		{"Daemon", c.URL()},
		{"Workspace", me.Workspace.Name},
		{"Workspace id", me.Workspace.ID},
		{"Time zone", me.Workspace.Timezone},
		{"Plan", me.Workspace.Plan},
		{"Key", me.APIKey.Name},
		{"Key id", me.APIKey.ID},
		{"Scopes", strings.Join(scopes, " ")},
		{"Expires", first(a.timeText(me.APIKey.ExpiresAt), "never")},
	}))
}
