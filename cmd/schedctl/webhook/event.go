package webhook

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// everyEvent is the value of --event for all types.
const everyEvent = "all"

// eventFlags is --event.
type eventFlags struct{ names []string }

func (o *eventFlags) add(cmd *cobra.Command, known []schedctl.EventType, usage string) {
	cmd.Flags().StringArrayVar(&o.names, "event", nil, usage)
	names := append(cli.Strings(known), everyEvent)
	cmd.RegisterFlagCompletionFunc("event", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// types returns the given types without repetitions, or nil.
func (o *eventFlags) types(known []schedctl.EventType) (types []schedctl.EventType, err error) {
	for _, list := range o.names {
		for _, name := range strings.Split(list, ",") {
			typ := schedctl.EventType(name)
			switch {
			case name == everyEvent:
				return slices.Clone(known), nil
			case !slices.Contains(known, typ):
				return nil, cli.UnknownValueError("--event", name, append(cli.Strings(known), everyEvent))
			case !slices.Contains(types, typ):
				types = append(types, typ)
			}
		}
	}
	return types, nil
}

// eventTypesText lists types for a help text.
func eventTypesText(types []schedctl.EventType) string {
	return strings.TrimSuffix(cli.WrapText("  ", cli.Strings(types)), "\n")
}
