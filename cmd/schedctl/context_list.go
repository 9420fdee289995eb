package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

func newContextList(a *app) *cobra.Command {
	return prints[contextView](&cobra.Command{
		Use:   "list",
		Short: "List contexts",
		Long: `List the contexts: whether it is the one in use, its name, its URL and where its
key is kept.`,
		Example: `  schedctl context list
  schedctl context list --jq '.[] | select(.current) | .name'`,
		Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.readConfig()
			if err != nil {
				return err
			}
			current := first(cfg.Current, localContext)
			list := []contextView{viewOf(localContext, savedContext{URL: a.localURL()}, current)}
			for _, name := range slices.Sorted(maps.Keys(cfg.Contexts)) {
				list = append(list, viewOf(name, cfg.Contexts[name], current))
			}
			return a.printContexts(list)
		},
	})
}

// printContexts prints contexts as a list.
func (a *app) printContexts(list []contextView) error {
	switch {
	case a.json.set:
		return a.printJSON(list)
	case a.quiet:
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].Name
		}
		return a.printIDs(names...)
	}
	t := table{header: []string{"USED", "NAME", "URL", "KEY"}, status: -1, excerpt: true}
	for _, v := range list {
		used := ""
		if v.Current {
			used = "*"
		}
		t.rows = append(t.rows, []string{used, v.Name, v.URL, v.Key})
	}
	return a.writeList(a.render(t))
}
