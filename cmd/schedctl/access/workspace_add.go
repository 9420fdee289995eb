package access

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type workspaceAdd struct {
	cli.OneTimeSecret
	zone   string
	locale string
}

// workspaceWithSecret is a new workspace with its first key. The secret is null when
// it must not be shown.
type workspaceWithSecret struct {
	apiv1.Workspace
	APIKey apiv1.APIKey `json:"api_key"`
	Secret *string      `json:"secret"`
}

func newWorkspaceAdd(a *cli.App) *cobra.Command {
	o := &workspaceAdd{OneTimeSecret: cli.OneTimeSecret{App: a}}
	cmd := cli.DeclareJSON[workspaceWithSecret](&cobra.Command{
		Use:   "add NAME",
		Short: "Add a workspace",
		Long: `Add a workspace with an API key that can do everything in it. Use that key, for
example in a context of its own, to work in the workspace.

` + cli.SecretHelp("secret"),
		Example: `  schedctl workspace add "Second team" --tz Europe/Berlin --secret-out second.key
  schedctl workspace add staging --json=id,secret`,
		Args:              cli.Args(1, 1, "the name of the workspace"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().StringVar(&o.zone, "tz", "", "the time `zone`, such as Europe/Berlin, Berlin or +05:30; the default is UTC")
	cmd.RegisterFlagCompletionFunc("tz", cli.CompleteZone)
	addLocale(cmd, &o.locale)
	o.OneTimeSecret.Add(cmd)
	return cmd
}

func (o *workspaceAdd) run(ctx context.Context, name string) error {
	request := apiv1.CreateWorkspace{Name: name}
	if o.zone != "" {
		loc, err := when.LoadZone(o.zone)
		if err != nil {
			return err
		}
		name, err := o.ZoneName(loc)
		if err != nil {
			return err
		}
		request.Timezone = &name
	}
	if o.locale != "" {
		if !slices.Contains(schedctl.Locales(), o.locale) {
			return cli.UnknownValueError("--locale", o.locale, schedctl.Locales())
		}
		request.Locale = &o.locale
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.CreateWorkspace(ctx, request)
	if err != nil {
		return err
	}
	return printWorkspace(&o.OneTimeSecret, made)
}

func printWorkspace(o *cli.OneTimeSecret, made apiv1.CreatedWorkspace) error {
	secret, err := o.Save(made.Secret)
	w := made.Workspace
	return errors.Join(o.Print(cli.CreatedResult{
		ID:       w.ID,
		Sentence: fmt.Sprintf("Added workspace %s (%s), with the API key %s", o.Bold(cli.OneLine(w.Name)), w.ID, keyLabel(made.APIKey)),
		Row:      append(workspaceRow(w), made.APIKey.ID),
		Object:   workspaceWithSecret{Workspace: w, APIKey: made.APIKey, Secret: secret},
		Secret:   secret,
	}), err)
}
