package access

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newContextList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[contextView](&cobra.Command{
		Use:   "list",
		Short: "List contexts",
		Long: `List the contexts: whether each is the current one, its name, its URL, where its key is
stored, and its kind, if it has one.`,
		Example: `  schedctl context list
  schedctl context list --jq '.[] | select(.current) | .name'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.ReadConfig()
			if err != nil {
				return err
			}
			current := cli.FirstNonEmpty(cfg.Current, cli.LocalContext)
			list := []contextView{viewOf(cli.LocalContext, cli.SavedContext{URL: a.LocalURL()}, current)}
			for _, name := range slices.Sorted(maps.Keys(cfg.Contexts)) {
				list = append(list, viewOf(name, cfg.Contexts[name], current))
			}
			return printContexts(a, list...)
		},
	})
}

// printContexts prints contexts as a list.
func printContexts(a *cli.App, list ...contextView) error {
	name := func(v contextView) string { return v.Name }
	layout := cli.Table{Header: []string{"USED", "NAME", "URL", "KEY"}, Status: -1, Excerpt: true}
	kinds := slices.ContainsFunc(list, func(v contextView) bool { return v.Kind != "" })
	if kinds {
		layout.Header = append(layout.Header, "KIND")
	}
	return cli.PrintList(a, list, name, layout, func(v contextView) []string {
		row := []string{map[bool]string{true: "*"}[v.Current], v.Name, v.URL, v.Key}
		if kinds {
			row = append(row, v.Kind)
		}
		return row
	})
}
