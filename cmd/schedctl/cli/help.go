package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

// addHelp adds the help command and the help topics.
func addHelp(a *App, root *cobra.Command) {
	topics := Topics()
	names := make([]string, len(topics))
	for i, t := range topics {
		cmd := &cobra.Command{Use: t.Name, Short: t.short}
		a.LazyHelp(cmd, func() string { return t.text(root) })
		root.AddCommand(cmd)
		names[i] = t.Name
	}
	root.SetHelpCommand(withGroup(GroupOther, &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Help about a command or a topic",
		Long:    "Show the help of a command or a topic. The topics are " + Enumerate(names) + ";\nhow times are written is in the help of the command time.",
		Example: "  schedctl help post create\n  schedctl help exit-codes\n  schedctl help time",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpCandidates(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if cmd == nil || err != nil || len(rest) > 0 {
				f := UsageError("there is no help for %q", strings.Join(args, " "))
				f.Hint = "see: schedctl help"
				if cmd != nil && len(rest) > 0 {
					f.Hint = didYouMean(nearest(withHelp(cmd), rest[0]), f.Hint)
				}
				return f
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}))
}

// LazyHelp gives a command a long text that takes time to build, so it is built only
// when it is shown: see [App.WriteLazyHelp].
func (a *App) LazyHelp(cmd *cobra.Command, text func() string) {
	if a.texts == nil {
		a.texts = map[*cobra.Command]func() string{}
	}
	a.texts[cmd] = text
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		a.WriteLazyHelp(cmd)
		cmd.Root().HelpFunc()(cmd, args)
	})
}

// WriteLazyHelp builds the long text of a command, if that was not done yet.
func (a *App) WriteLazyHelp(cmd *cobra.Command) {
	if text := a.texts[cmd]; text != nil {
		cmd.Long = text()
	}
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

// withHelp returns the names of the commands and topics that have help.
func withHelp(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func exitCodesText() string {
	var b strings.Builder
	b.WriteString("The exit status says how a command ended. It never changes its meaning.\n\n")
	for _, e := range ExitMeanings {
		fmt.Fprintf(&b, "  %3d  %s\n", e.Status, e.Meaning)
	}
	b.WriteString("\nOf several errors the first one counts.")
	return b.String()
}

// formattingText is "schedctl help formatting": it lists the fields of every
// command below root.
func formattingText(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`The result of a command is on standard output; everything else, what was
understood, questions and errors, is on standard error.

On a terminal results are aligned and colored. In a pipe or a file they are
tab-separated, one line each, without header or color, with times in UTC.

  -q, --quiet       ids only
  --json            the object of the API, or an array of them for a list
  --json=id,status  only these fields, in this order
  -o json           the same as --json; -o json=id,status for some fields
  --jq EXPR         what an expression of jq makes of that JSON
  --template TEXT   what a template makes of that JSON
  --no-color        no color on a terminal either

A list that is longer than the screen is shown with a pager. For the variables
that decide about color and pager see "schedctl help environment".

With --json an error is the envelope of the API, on standard error:
{"error":{"code","message","details","request_id"}}.

--jq and --template work without --json. An expression that cannot be parsed is
reported before the command does anything (exit status 2). An expression that does
not fit the result is reported afterwards (exit status 1).

--jq (https://jqlang.org) prints text as it is and everything else as JSON, one
value a line, as "jq -r" does. The environment is in env and $ENV:

  schedctl post list --all --jq '.[] | select(.status == "failed") | .id'
  schedctl post show ID --jq '.targets[] | [.platform, .status] | @tsv'

--template is a template of Go (https://pkg.go.dev/text/template). null prints
nothing. In addition to the functions of that package there are

  autocolor STYLE VALUE   like color, where colors are wanted
  color STYLE VALUE       paint: red, green+b, white+u:blue; the colors are
                          black, red, green, yellow, blue, magenta, cyan, white
                          and gray, the attributes b bold, d dim, i italic,
                          u underlined, r reversed, s struck out, h brighter
  contains PART TEXT      whether the text holds the part; hasPrefix and hasSuffix
                          in the same way
  hyperlink URL TEXT      a text that leads to an address, on a terminal
  join SEPARATOR LIST     the elements of a list with a separator between them
  pluck FIELD LIST        one field of every object of a list
  regexMatch REGEXP TEXT  whether a regular expression of Go fits the text
  tablerow VALUE...       add a row to a table
  tablerender             print the table, aligned on a terminal; the last one
                          prints itself
  timeago TIME            how far away a time is: in 2 hours, 3 days ago
  timefmt LAYOUT TIME     a time in the local zone; the layout is one of Go:
                          "Mon 2 Jan 15:04"
  truncate COLUMNS TEXT   the text, cut to this width

  schedctl post list --template \
    '{{range .}}{{tablerow .id .status (timeago .publish_at)}}{{end}}'

The fields are
`)
	for _, l := range fieldLists(root) {
		fmt.Fprintf(&b, "\n%s%s", WrapText("  ", l.commands), WrapText("    ", l.fields))
	}
	return strings.TrimRight(b.String(), "\n")
}

// listing is a list of fields and the commands that print it.
type listing struct{ commands, fields []string }

// nestedListings are the nested objects whose fields are listed as well.
var nestedListings = []listing{
	{[]string{"each of a post's targets"}, fieldsOf(reflect.TypeFor[apiv1.Target]())},
	{[]string{"each of a timeline's attempts"}, fieldsOf(reflect.TypeFor[apiv1.Attempt]())},
	{[]string{"--dry-run of a post"}, fieldsOf(reflect.TypeFor[apiv1.Validation]())},
	{[]string{"an error"}, fieldsOf(reflect.TypeFor[apiv1.TargetError]())},
}

// fieldLists returns the fields of all commands below root, each list once.
func fieldLists(root *cobra.Command) (lists []listing) {
	add := func(command, fields string) {
		i := slices.IndexFunc(lists, func(l listing) bool { return strings.Join(l.fields, ",") == fields })
		if i < 0 {
			i = len(lists)
			lists = append(lists, listing{fields: strings.Split(fields, ",")})
		}
		lists[i].commands = append(lists[i].commands, command)
	}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if fields := cmd.Annotations[fieldsAnnotation]; fields != "" {
			add(name, fields)
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
	return append(lists, nestedListings...)
}

// WrapText returns names as indented lines with commas between them.
func WrapText(indent string, names []string) string {
	var b strings.Builder
	line := indent[1:]
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line)+1+len(name) > 78 {
			b.WriteString(line + "\n")
			line = indent[1:]
		}
		line += " " + name
	}
	return b.String() + line + "\n"
}
