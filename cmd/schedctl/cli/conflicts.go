package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// conflicts are groups of flags. A command takes one flag of each group. If a command has
// --x and --no-x, it takes one of these, too.
var conflicts = [][]string{
	{"at", "in", "now", "propose"},
	{"week", "month"},
	{"until", "for"},
	{"enable", "disable"},
	{"posts", "move-to"},
	{"login", "secret-file"},
	{"thread", "thread-split"},
	{"preview-url", "no-preview"},
	{"label", "no-labels"},
	{"variant", "no-variants"},
	{"jq", "template", "quiet"},
	{"editor", "no-input"},
}

// RefuseConflicts returns an error for the first flags that exclude each other.
func RefuseConflicts(cmd *cobra.Command) error {
	var given []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		global := cmd.Root().PersistentFlags().Lookup(f.Name)
		if global != nil && global != f {
			return // a flag of the command that means something else
		}
		if f.Value.Type() != "bool" || f.Value.String() == "true" {
			given = append(given, f.Name)
		}
	})
	for _, name := range given {
		if slices.Contains(given, "no-"+name) {
			return exclude(name, "no-"+name)
		}
	}
	for _, group := range conflicts {
		both := slices.DeleteFunc(slices.Clone(group), func(name string) bool { return !slices.Contains(given, name) })
		if len(both) > 1 {
			return exclude(both...)
		}
	}
	return nil
}

func exclude(names ...string) error {
	for i := range names {
		names[i] = "--" + names[i]
	}
	return UsageError("%s exclude each other: give one", Enumerate(names))
}
