package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newGroup(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "group",
		Short: "Name several accounts together",
		Long: `Name several accounts together. Write @NAME where a command, a spreadsheet or a post file
takes an account: the post goes to all accounts that the group has when it is sent. Posts
that exist do not change with their groups; "schedctl apply" updates the posts of files.`,
		Example: `  schedctl account group create brand --account blog --account mastodon:me
  schedctl account group list`,
	})
	cmd.AddCommand(newGroupCreate(a), newGroupList(a), newGroupEdit(a), newGroupRemove(a))
	return cmd
}

// Words of messages about account groups.
const (
	groupNoun  = "account group"
	listGroups = "schedctl account group list"
)

// groupOptions are the flags of commands that set the accounts of a group.
type groupOptions struct {
	*cli.App
	accounts, removed []string
}

func newGroupCreate(a *cli.App) *cobra.Command {
	o := &groupOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.AccountGroup](&cobra.Command{
		Use:   "create NAME",
		Short: "Make an account group",
		Long: `Make an account group. The name has lower-case letters, digits, hyphens and underscores,
and is not the name of an account.`,
		Example: `  schedctl account group create brand --account blog --account mastodon:me`,
		Args:    cli.Args(1, 1, "one name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.accounts == nil {
				return cli.UsageError("a group needs accounts").WithHint("give --account NAME")
			}
			return a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
				return o.set(ctx, c, args[0], nil, true)
			})(cmd, args)
		},
	})
	AddSeveral(a, cmd, &o.accounts, "an `account` of the group: an id, a name or platform:name (repeatable)")
	return cmd
}

// set sends the accounts that a group has, with those of the flags.
func (o *groupOptions) set(ctx context.Context, c *client.Client, name string, has []string, createOnly bool) error {
	added, err := Recipients(ctx, o.App, c, o.accounts)
	if err != nil {
		return err
	}
	removed, err := Recipients(ctx, o.App, c, o.removed)
	if err != nil {
		return err
	}
	for _, id := range removed {
		if !slices.Contains(has, id) {
			return cli.InvalidError(schedctl.InvalidSocialAccounts, "%s is not in the group %s", Names(ctx, o.App, c)([]string{id}), name)
		}
	}
	ids := slices.Compact(slices.Sorted(slices.Values(append(added, has...))))
	ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(removed, id) })
	if len(ids) == 0 {
		return cli.InvalidError(schedctl.InvalidSocialAccounts, "the group %s would have no account", name).WithHint("remove it with: schedctl account group remove " + name)
	}
	g, err := c.SetAccountGroup(ctx, name, apiv1.SetAccountGroup{SocialAccountIDs: ids, CreateOnly: createOnly})
	if err != nil {
		return err
	}
	sentence := fmt.Sprintf("@%s is %s", o.Bold(g.Name), Names(ctx, o.App, c)(g.SocialAccountIDs))
	return cli.PrintOne(o.App, g, sentence, func(a *cli.App, list ...apiv1.AccountGroup) error { return printGroups(ctx, a, c, list...) })
}

func printGroups(ctx context.Context, a *cli.App, c *client.Client, list ...apiv1.AccountGroup) error {
	names := Names(ctx, a, c)
	table := cli.Table{Header: []string{"NAME", "ACCOUNTS", "CHANGED"}, Status: -1}
	return cli.PrintList(a, list, groupName, table, func(g apiv1.AccountGroup) []string {
		accounts := names(g.SocialAccountIDs)
		if g.HiddenAccounts > 0 {
			accounts += fmt.Sprintf(" and %d that the API key may not use", g.HiddenAccounts)
		}
		return []string{g.Name, accounts, a.ShortTime(g.UpdatedAt)}
	})
}

func groupName(g apiv1.AccountGroup) string { return g.Name }

func newGroupList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.AccountGroup](&cobra.Command{
		Use:   "list",
		Short: "List account groups",
		Long:  `List the account groups of the workspace by name, with their accounts.`,
		Example: `  schedctl account group list
  schedctl account group list --json=name,social_account_ids`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.AccountGroups(ctx)
			if err != nil {
				return err
			}
			if len(list) == 0 && a.ErrTerminal {
				a.Messagef("no account groups; make one with: schedctl account group create brand --account NAME")
			}
			return printGroups(ctx, a, c, list...)
		}),
	})
}

// findGroup returns the account group with a name.
func findGroup(ctx context.Context, c *client.Client, name string) (apiv1.AccountGroup, error) {
	list, err := c.AccountGroups(ctx)
	if err != nil {
		return apiv1.AccountGroup{}, err
	}
	if i := slices.IndexFunc(list, func(g apiv1.AccountGroup) bool { return g.Name == name }); i >= 0 {
		return list[i], nil
	}
	return apiv1.AccountGroup{}, cli.UnknownName(groupNoun, name, listGroups)
}

func newGroupEdit(a *cli.App) *cobra.Command {
	o := &groupOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.AccountGroup](&cobra.Command{
		Use:   "edit NAME",
		Short: "Add accounts to a group, or take some out",
		Long: `Add accounts to a group with --account, or take some out with --remove-account. Posts that
exist keep their accounts.`,
		Example: `  schedctl account group edit brand --account blog
  schedctl account group edit brand --remove-account blog`,
		Args: cli.Args(1, 1, "a group"),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
			if o.accounts == nil && o.removed == nil {
				return cli.UsageError("nothing to change").WithHint("give --account or --remove-account")
			}
			g, err := findGroup(ctx, c, args[0])
			if err != nil {
				return err
			}
			return o.set(ctx, c, g.Name, g.SocialAccountIDs, false)
		}),
	})
	AddSeveral(a, cmd, &o.accounts, "add this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().StringArrayVar(&o.removed, "remove-account", nil, "take this `account` out of the group (repeatable)")
	cmd.RegisterFlagCompletionFunc("remove-account", Complete(a))
	cmd.ValidArgsFunction = completeGroups(a)
	return cmd
}

func newGroupRemove(a *cli.App) *cobra.Command {
	cmd := cli.DeclareJSON[cli.Removal](cli.OnNamedRemoval(a, &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an account group",
		Long: `Remove an account group. Its accounts and their posts stay. Commands and files that name
the group are refused from then on.`,
		Example: `  schedctl account group remove brand`,
	}, groupNoun, listGroups, (*client.Client).DeleteAccountGroup))
	cmd.ValidArgsFunction = completeGroups(a)
	return cmd
}

func completeGroups(a *cli.App) cobra.CompletionFunc {
	return a.CompleteFrom(1, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		list, err := c.AccountGroups(ctx)
		return cli.Map(list, func(g apiv1.AccountGroup) string {
			return g.Name + "\t" + cli.Plural(len(g.SocialAccountIDs), "account")
		}), err
	})
}
