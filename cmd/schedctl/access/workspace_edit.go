package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// approvalPolicies are the values of --approvals.
var approvalPolicies = []string{"off", "agents", "all"}

// workspaceEdit is "schedctl workspace edit".
type workspaceEdit struct {
	cli.Existing
	approvals string
	fourEyes  bool
	locale    string
}

func newWorkspaceEdit(a *cli.App) *cobra.Command {
	o := &workspaceEdit{Existing: cli.Existing{App: a}}
	cmd := cli.DeclareJSON[apiv1.Workspace](&cobra.Command{
		Use:   "edit [ID]",
		Short: "Change which posts need an approval, and the language of dates",
		Long: `Change which posts of a workspace need an approval before they are published. Without an
id it is the workspace of your key, and the key needs the scope keys:write. Another
workspace needs workspaces:write.

--approvals is off, agents or all. With agents, posts that an agent wrote or starts need
an approval. If scheduled posts or active series lack an approval that they would need,
the command asks what becomes of them, and without a terminal it exits with status 6.
--existing approve approves them with your key, which needs posts:approve. --existing
submit makes them drafts that wait for an approval and propose their times.

An approver who edits a submitted post can approve it, because its author is another
person. With --four-eyes, each text needs two people: whoever edited it last cannot
approve it, and an edit of an approved post by an approver has to be approved again.
--existing also decides about posts that their last editor has approved.

--locale is the language in which the pages of "schedctl share" show dates. The rest of
the pages is in English.`,
		Example: `  schedctl workspace edit --approvals agents
  schedctl workspace edit --approvals all --existing submit
  schedctl workspace edit --four-eyes
  schedctl workspace edit --locale de
  schedctl workspace edit ws_01KAK3R9ZC4VBX1D2E3F4G5H6J --approvals all`,
		Args:              cli.Args(0, 1, "the id of a workspace"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			change := apiv1.EditWorkspace{}
			if cmd.Flags().Changed("four-eyes") {
				change.FourEyes = &o.fourEyes
			}
			if cmd.Flags().Changed("approvals") {
				if !slices.Contains(approvalPolicies, o.approvals) {
					return cli.UnknownValueError("--approvals", o.approvals, approvalPolicies)
				}
				change.Approvals = &o.approvals
			}
			if cmd.Flags().Changed("locale") {
				if !slices.Contains(schedctl.Locales(), o.locale) {
					return cli.UnknownValueError("--locale", o.locale, schedctl.Locales())
				}
				change.Locale = &o.locale
			}
			if change == (apiv1.EditWorkspace{}) && !o.Given() {
				return cli.UsageError("schedctl workspace edit needs --approvals, --four-eyes, --locale or --existing").WithHint("give --approvals off, agents or all")
			}
			return o.run(cmd.Context(), args, change)
		},
	})
	cmd.Flags().StringVar(&o.approvals, "approvals", "", "which posts need an approval: the `choice` off, agents or all")
	cmd.Flags().BoolVar(&o.fourEyes, "four-eyes", false, "let each text need two people; --four-eyes=false to end that")
	addLocale(cmd, &o.locale)
	o.Existing.Add(cmd)
	cmd.RegisterFlagCompletionFunc("approvals", cobra.FixedCompletions(approvalPolicies, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *workspaceEdit) run(ctx context.Context, args []string, change apiv1.EditWorkspace) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	var id string
	if len(args) > 0 {
		id = args[0]
	} else {
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		id = me.Workspace.ID
	}
	var w apiv1.Workspace
	err = o.Send(ctx, func(existing string) (err error) {
		change.Existing = existing
		w, err = c.EditWorkspace(ctx, id, change)
		return err
	})
	if err != nil {
		return err
	}
	sentence := fmt.Sprintf("Approvals of %s: %s", o.Bold(cli.OneLine(w.Name)), approvalWords(w))
	if change.Locale != nil {
		sentence += "; dates on pages: " + w.Locale
	}
	return cli.PrintOne(o.App, w, sentence, func(a *cli.App, list ...apiv1.Workspace) error { return printWorkspaces(a, list) })
}

// approvalWords says which posts of a workspace need an approval, and by whom.
func approvalWords(w apiv1.Workspace) string {
	if w.FourEyes {
		return w.Approvals + ", by two people"
	}
	return w.Approvals
}

// addLocale adds the flag --locale.
func addLocale(cmd *cobra.Command, locale *string) {
	cmd.Flags().StringVar(locale, "locale", "", "how pages of shares show dates: a `language` of "+strings.Join(schedctl.Locales(), ", "))
	cmd.RegisterFlagCompletionFunc("locale", cobra.FixedCompletions(schedctl.Locales(), cobra.ShellCompDirectiveNoFileComp))
}
