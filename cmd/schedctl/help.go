package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

// addHelp adds the help command and the topics that are no commands.
func addHelp(root *cobra.Command) {
	root.AddCommand(
		&cobra.Command{Use: "exit-codes", Short: "What the exit statuses mean", Long: exitCodesText()},
		&cobra.Command{Use: "formatting", Short: "What results look like, and the fields of --json", Long: formattingText()},
	)
	root.SetHelpCommand(in(groupOther, &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Help about a command or a topic",
		Long:    "Show the help of a command or a topic. The topics are exit-codes and formatting.",
		Example: "  schedctl help post create\n  schedctl help exit-codes",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpCandidates(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if cmd == nil || err != nil || len(rest) > 0 {
				f := usage("there is no help for %q", strings.Join(args, " "))
				f.hint = "see: schedctl help"
				return f
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}))
}

func helpCandidates(root *cobra.Command, args []string) (names []string) {
	cmd, _, err := root.Find(args)
	if err != nil {
		return nil
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return names
}

func exitCodesText() string {
	var b strings.Builder
	b.WriteString("The exit status says how a command ended. It never changes its meaning.\n\n")
	for _, e := range exitMeanings {
		fmt.Fprintf(&b, "  %3d  %s\n", e.status, e.meaning)
	}
	b.WriteString("\nOf several errors the first one counts.")
	return b.String()
}

func formattingText() string {
	var b strings.Builder
	b.WriteString(`The result of a command is on standard output; everything else, what was
understood, questions and errors, is on standard error.

On a terminal results are aligned and coloured. In a pipe or a file they are
tab-separated, one line each, without header or colour, with times in UTC.

  -q, --quiet       ids only
  --json            the object of the API, or an array of them for a list
  --json=id,status  only these fields, in this order
  --no-color        no colour on a terminal either (environment: NO_COLOR)

With --json an error is the envelope of the API, on standard error:
{"error":{"code","message","details","request_id"}}.

The fields are
`)
	for _, o := range []struct {
		name string
		typ  reflect.Type
	}{
		{"post", reflect.TypeFor[apiv1.Post]()},
		{"target, in a post's targets", reflect.TypeFor[apiv1.Target]()},
		{"timeline", reflect.TypeFor[apiv1.Timeline]()},
		{"attempt, in a timeline's targets", reflect.TypeFor[apiv1.Attempt]()},
		{"validate and --dry-run", reflect.TypeFor[apiv1.Validation]()},
		{"account", reflect.TypeFor[apiv1.Account]()},
		{"me", reflect.TypeFor[apiv1.Me]()},
		{"time", reflect.TypeFor[understood]()},
		{"version", reflect.TypeFor[build]()},
		{"delete and remove", reflect.TypeFor[removal]()},
	} {
		fmt.Fprintf(&b, "\n  %s\n%s", o.name, wrapFields(fieldsOf(o.typ)))
	}
	return strings.TrimRight(b.String(), "\n")
}

func wrapFields(names []string) string {
	var b strings.Builder
	line := "   "
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line)+1+len(name) > 78 {
			b.WriteString(line + "\n")
			line = "   "
		}
		line += " " + name
	}
	return b.String() + line + "\n"
}
