package webhook

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// The values of --event for several types.
const (
	everyEvent   = "all"
	reviewEvents = "review" // the steps of reviews
)

// eventValues returns the values of --event where these types can be given.
func eventValues(known []schedctl.EventType) []string {
	return append(cli.Strings(known), reviewEvents, everyEvent)
}

// eventFlags is --event.
type eventFlags struct{ names []string }

func (o *eventFlags) add(cmd *cobra.Command, known []schedctl.EventType, usage string) {
	cmd.Flags().StringArrayVar(&o.names, "event", nil, usage)
	cmd.RegisterFlagCompletionFunc("event", cobra.FixedCompletions(eventValues(known), cobra.ShellCompDirectiveNoFileComp))
}

// types returns the given types without repetitions, or nil.
func (o *eventFlags) types(known []schedctl.EventType) (types []schedctl.EventType, err error) {
	for _, list := range o.names {
		for _, name := range strings.Split(list, ",") {
			typ := schedctl.EventType(name)
			switch {
			case name == everyEvent:
				return slices.Clone(known), nil
			case name == reviewEvents:
				types = slices.DeleteFunc(types, schedctl.IsReviewEvent)
				types = append(types, schedctl.ReviewEvents()...)
			case !slices.Contains(known, typ):
				return nil, cli.UnknownValueError("--event", name, eventValues(known))
			case !slices.Contains(types, typ):
				types = append(types, typ)
			}
		}
	}
	return types, nil
}

// eventNames returns types as they are given to --event: the steps of reviews under one name,
// if all are among them.
func eventNames(types []schedctl.EventType) []string {
	reviews := 0
	for _, typ := range types {
		if schedctl.IsReviewEvent(typ) {
			reviews++
		}
	}
	names := cli.Strings(types)
	if reviews < len(schedctl.ReviewEvents()) {
		return names
	}
	names = slices.DeleteFunc(names, func(name string) bool { return schedctl.IsReviewEvent(schedctl.EventType(name)) })
	return append(names, reviewEvents)
}

// eventTypesText lists types for a help text.
func eventTypesText(types []schedctl.EventType) string {
	return strings.TrimSuffix(cli.WrapText("  ", cli.Strings(types)), "\n")
}
