// Package collection holds the commands about collections: which repository applies the
// files of which collection.
package collection

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/repository"
)

// New returns the command collection.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "collection",
		Short: "Show which repository owns a collection of post files",
		Long: `Show which repository owns a collection of post files, and change it.

The first "schedctl apply" binds a collection to the repository of its files. Files of
another repository, and of a commit that is older than the last applied one, are refused.`,
		Example: `  schedctl collection list
  schedctl collection adopt website posts`,
	})
	cmd.AddCommand(newList(a), newShow(a), newAdopt(a), newRemove(a))
	return cmd
}

func newList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Collection](&cobra.Command{
		Use:   "list",
		Short: "List collections",
		Long: `List the collections of the workspace by name: the repository, when the files were
applied last, with which key, and the commit.`,
		Example: `  schedctl collection list
  schedctl collection list --jq '.[] | [.name, .source] | @tsv'`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Collections(ctx)
			if err != nil {
				return err
			}
			if len(list) == 0 && a.ErrTerminal {
				a.Messagef("no collections; create one with: schedctl apply DIR")
			}
			return print(a, list...)
		}),
	})
}

func print(a *cli.App, list ...apiv1.Collection) error {
	table := cli.Table{Header: []string{"NAME", "SOURCE", "APPLIED", "BY", "COMMIT"}}
	return cli.PrintList(a, list, name, table, func(c apiv1.Collection) []string {
		commit := cli.Deref(c.Revision).Commit
		return []string{c.Name, c.Source, a.TimeText(c.AppliedAt), cli.Deref(c.AppliedBy).Name, commit[:min(12, len(commit))]}
	})
}

func name(c apiv1.Collection) string { return c.Name }

// on sets up a command whose first argument is the name of a collection.
func on(a *cli.App, most int, what string, cmd *cobra.Command, run func(context.Context, *client.Client, []string) error) *cobra.Command {
	cmd.Args = cli.Args(1, most, what)
	cmd.RunE = a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
		if broken, ok := errors.AsType[*schedctl.Error](schedctl.CheckCollection("the name", args[0])); ok {
			return cli.InvalidError(broken.Code, "%s", broken.Message)
		}
		return run(ctx, c, args)
	})
	names := a.CompleteFrom(1, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		list, err := c.Collections(ctx)
		return cli.Map(list, func(c apiv1.Collection) string { return c.Name + "\t" + c.Source }), err
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 && most == 2 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return names(cmd, args, start)
	}
	return cmd
}

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Collection](on(a, 1, "a collection", &cobra.Command{
		Use:     "show COLLECTION",
		Short:   "Show a collection",
		Long:    `Show a collection: its repository, and when, with which key and at which commit its files were applied last.`,
		Example: `  schedctl collection show website`,
	}, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := c.Collection(ctx, args[0])
		if err != nil {
			return err
		}
		r := cli.Deref(found.Revision)
		properties := []cli.Property{{Name: "name", Value: found.Name}, {Name: "source", Value: found.Source}, {Name: "applied", Value: a.TimeText(found.AppliedAt)},
			{Name: "by", Value: cli.Deref(found.AppliedBy).Name}, {Name: "commit", Value: r.Commit}}
		if found.Revision != nil {
			properties = append(properties, cli.Property{Name: "committed", Value: a.TimeText(&r.CommittedAt)})
		}
		return a.PrintObject(found, found.Name, properties)
	}))
}

func newAdopt(a *cli.App) *cobra.Command {
	var yes bool
	cmd := cli.DeclareJSON[apiv1.Collection](on(a, 2, "a collection and a directory", &cobra.Command{
		Use:   "adopt COLLECTION [DIR]",
		Short: "Give a collection to the repository of a directory",
		Long: `Give a collection to the repository of a directory, the current one if you name none. From
then on, only files of that repository can be applied to the collection. No post changes
until the next apply.

Use it after a repository was moved or renamed. The key needs posts:write; keys of agents
and keys that are limited to accounts are refused.`,
		Example: `  schedctl collection adopt website
  schedctl collection adopt website posts --yes`,
	}, func(ctx context.Context, c *client.Client, args []string) error {
		dir := "."
		if len(args) == 2 {
			dir = args[1]
		}
		source, err := repository.Source(ctx, a, dir)
		if err != nil {
			return err
		}
		if err := checkDirectory(dir, args[0]); err != nil {
			return err
		}
		if !yes {
			if err := a.Confirm(ctx, fmt.Sprintf("Give the collection %s to %s?", args[0], cli.FirstNonEmpty(source, dir))); err != nil {
				return err
			}
		}
		if source == "" {
			if source, err = repository.WriteSource(dir); err != nil {
				return err
			}
		}
		adopted, err := c.AdoptCollection(ctx, args[0], apiv1.AdoptCollection{Source: source})
		if err != nil {
			return err
		}
		return cli.PrintOne(a, adopted, fmt.Sprintf("The collection %s belongs to %s", a.Bold(adopted.Name), adopted.Source), print)
	}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// checkDirectory returns an error for a directory whose files are of another collection.
func checkDirectory(dir, collection string) error {
	config, _, err := postfile.ReadConfig(os.DirFS(dir))
	switch named := config.Collection.Text; {
	case err != nil:
		return fmt.Errorf("read %s: %w", postfile.ConfigName, err)
	case named != "" && named != collection:
		return cli.InvalidError(schedctl.ValidationFailed, "the files in %s are of the collection %s, as %s says, and not of %s", dir, named, postfile.ConfigName, collection)
	}
	return nil
}

func newRemove(a *cli.App) *cobra.Command {
	var yes bool
	cmd := cli.DeclareJSON[cli.Removal](on(a, 1, "a collection", &cobra.Command{
		Use:   "remove COLLECTION",
		Short: "Forget which repository owns a collection",
		Long: `Forget which repository owns a collection. Its posts stay as they are. The next apply,
from any repository, binds the collection again.`,
		Example: `  schedctl collection remove website`,
	}, func(ctx context.Context, c *client.Client, args []string) error {
		if !yes {
			if err := a.Confirm(ctx, fmt.Sprintf("Forget which repository owns the collection %s? Its posts stay.", args[0])); err != nil {
				return err
			}
		}
		if err := c.DeleteCollection(ctx, args[0]); err != nil {
			return err
		}
		return a.PrintRemoval(args[0], "Removed")
	}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}
