// Package snippet holds the commands about snippets, and puts snippets into the texts that
// refer to them.
package snippet

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Words of messages about snippets.
const (
	noun         = "snippet"
	listSnippets = "schedctl snippet list"
)

// New returns the command snippet.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "snippet",
		Short: "Keep texts that many posts have in common",
		Long: `Keep texts that many posts have in common, such as hashtags, under a name.

Write {{snippet "tags"}} in a text, a file, a spreadsheet or a post file: when the post is
sent, the text of the snippet is there. A post that exists does not change with its
snippets; "schedctl apply" updates the posts of files. For the braces themselves, write a
backslash before them: \{{snippet "tags"}}.`,
		Example: `  schedctl snippet set tags "#go #release"
  schedctl snippet list`,
	})
	cmd.AddCommand(newSet(a), newList(a), newShow(a), newRemove(a))
	return cmd
}

func newSet(a *cli.App) *cobra.Command {
	var file string
	cmd := cli.DeclareJSON[apiv1.Snippet](&cobra.Command{
		Use:   "set NAME [TEXT]",
		Short: "Make a snippet, or change its text",
		Long: `Make a snippet, or change its text. The text is the argument, the content of a file
(-F FILE), or standard input. The name has lower-case letters, digits, hyphens and
underscores. Posts that exist keep their texts.`,
		Example: `  schedctl snippet set tags "#go #release"
  schedctl snippet set imprint -F news.txt`,
		Args: cli.Args(1, 2, "a name and a text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := cli.NewTextSource(args[1:], file)
			if err != nil {
				return err
			}
			if !source.Given() && a.InTerminal {
				return cli.UsageError("no text").WithHint(`give it as an argument, such as: schedctl snippet set tags "#go #release"`)
			}
			text, err := a.ReadText(cmd.Context(), source)
			if err != nil {
				return err
			}
			return set(cmd.Context(), a, args[0], text)
		},
	})
	cmd.Flags().StringVarP(&file, "file", "F", "", "read the text from this `file` (- for standard input)")
	cmd.ValidArgsFunction = complete(a)
	return cmd
}

func set(ctx context.Context, a *cli.App, name, text string) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	s, err := c.SetSnippet(ctx, name, apiv1.SetSnippet{Text: text})
	if err != nil {
		return err
	}
	return cli.PrintOne(a, s, "Set "+a.Bold(s.Name), print)
}

func print(a *cli.App, list ...apiv1.Snippet) error {
	table := cli.Table{Header: []string{"NAME", "CHANGED", "TEXT"}, Status: -1, Excerpt: true}
	return cli.PrintList(a, list, name, table, func(s apiv1.Snippet) []string { return []string{s.Name, a.ShortTime(s.UpdatedAt), s.Text} })
}

func name(s apiv1.Snippet) string { return s.Name }

func newList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Snippet](&cobra.Command{
		Use:   "list",
		Short: "List snippets",
		Long:  `List the snippets of the workspace by name.`,
		Example: `  schedctl snippet list
  schedctl snippet list --json=name,text`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Snippets(ctx)
			if err != nil {
				return err
			}
			if len(list) == 0 && a.ErrTerminal {
				a.Messagef(`no snippets; make one with: schedctl snippet set tags "#go #release"`)
			}
			return print(a, list...)
		}),
	})
}

// find returns the snippet with a name.
func find(ctx context.Context, c *client.Client, wanted string) (apiv1.Snippet, error) {
	list, err := c.Snippets(ctx)
	if err != nil {
		return apiv1.Snippet{}, err
	}
	if i := slices.IndexFunc(list, func(s apiv1.Snippet) bool { return s.Name == wanted }); i >= 0 {
		return list[i], nil
	}
	return apiv1.Snippet{}, cli.UnknownName(noun, wanted, listSnippets)
}

func newShow(a *cli.App) *cobra.Command {
	cmd := cli.DeclareJSON[apiv1.Snippet](&cobra.Command{
		Use:     "show NAME",
		Short:   "Show a snippet",
		Long:    `Show a snippet with its whole text.`,
		Example: `  schedctl snippet show tags`,
		Args:    cli.Args(1, 1, "a snippet"),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
			s, err := find(ctx, c, args[0])
			if err != nil {
				return err
			}
			return a.PrintObject(s, s.Name, []cli.Property{
				{Name: "name", Value: s.Name}, {Name: "text", Value: s.Text}, {Name: "created", Value: a.TimeText(s.CreatedAt)}, {Name: "changed", Value: a.TimeText(s.UpdatedAt)},
			})
		}),
	})
	cmd.ValidArgsFunction = complete(a)
	return cmd
}

func newRemove(a *cli.App) *cobra.Command {
	cmd := cli.DeclareJSON[cli.Removal](cli.OnNamedRemoval(a, &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a snippet",
		Long: `Remove a snippet. The posts that were made with it keep their texts. Texts and files that
refer to it are refused from then on.`,
		Example: `  schedctl snippet remove tags`,
	}, noun, listSnippets, (*client.Client).DeleteSnippet))
	cmd.ValidArgsFunction = complete(a)
	return cmd
}

func complete(a *cli.App) cobra.CompletionFunc {
	return a.CompleteFrom(1, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		list, err := c.Snippets(ctx)
		return cli.Map(list, func(s apiv1.Snippet) string { return s.Name + "\t" + cli.Clip(cli.OneLine(s.Text), 40) }), err
	})
}
