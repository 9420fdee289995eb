package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/when"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of commands in the help text.
const (
	GroupWork   = "work"
	GroupEvents = "events"
	GroupDaemon = "daemon"
	GroupOther  = "other"
)

// NewRoot returns the tree of commands. It builds only the commands that the arguments
// may mean, because building all takes longer than most commands. Without arguments it
// builds all of them.
func NewRoot(a *App, branches []Branch, args ...string) *cobra.Command {
	root := ParentCommand(&cobra.Command{
		Use:   "schedctl",
		Short: "Schedule social posts and publish them on time",
		Long: `Schedule social posts and publish them on time, from one binary and one file.

The daemon keeps the posts and publishes what is due; every other command talks to it.
Start it with "schedctl daemon start".`,
		Example: `  schedctl daemon start
  schedctl account add feed --name demo
  schedctl post create "Hello, world" --to demo --at "tomorrow 9am"`,
		Version:       VersionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.enterAgentMode(cmd.Root(), cmd)
			if err := refuseEmpty(cmd); err != nil {
				return err
			}
			if err := RefuseConflicts(cmd); err != nil {
				return err
			}
			return a.checkFields(cmd)
		},
	})
	root.SetIn(a.In)
	root.SetOut(&a.helpOut)
	root.SetErr(a.Err())
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("schedctl {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	addGlobalFlags(a, root.PersistentFlags())
	root.AddGroup(
		&cobra.Group{ID: GroupWork, Title: "Posts and accounts:"},
		&cobra.Group{ID: GroupEvents, Title: "Events and keys:"},
		&cobra.Group{ID: GroupDaemon, Title: "The daemon:"},
		&cobra.Group{ID: GroupOther, Title: "Other commands:"},
	)
	a.words = args
	a.overview = len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
	alone := a.AddBranches(root, branches)
	root.RegisterFlagCompletionFunc("context", a.CompleteContextFlag)
	root.RegisterFlagCompletionFunc("json", completeFields)
	if !alone {
		addHelp(a, root)
	}
	addAliases(root)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		declareCompletions(root)
	}
	return root
}

// AddBranches adds the commands below a command. It reports whether it added other
// commands than the one that the command line names.
func (a *App) AddBranches(parent *cobra.Command, all []Branch) (alone bool) {
	if a.overview && parent.Name() != "schedctl" {
		return false
	}
	words := a.words
	alone = slices.ContainsFunc(all, func(b Branch) bool { return len(words) > 0 && b.named(parent, words[0]) && !b.Rest })
	a.words = nil // words after an unknown word may mean any command
	if alone {
		a.words = words[1:]
	}
	for _, b := range all {
		if !alone || b.named(parent, words[0]) {
			cmd := b.Make(a)
			cmd.GroupID = b.Group
			parent.AddCommand(cmd)
		}
	}
	return alone
}

// Branch is a command below another command. It is built when it is needed.
type Branch struct {
	Group, Name string
	Make        func(*App) *cobra.Command
	Rest        bool // its help lists the others, so they are built as well
}

// named reports whether a word of the command line names the branch of a command.
func (b Branch) named(parent *cobra.Command, word string) bool {
	return b.Name == word || parent.Name() != "schedctl" && slices.Contains(aliases[b.Name], word)
}

func addGlobalFlags(a *App, f *pflag.FlagSet) {
	f.StringVar(&a.URL, "url", "", "where the daemon is, `http://host:port` or unix:///path (environment: SCHEDCTL_URL)")
	f.StringVar(&a.KeyFile, "api-key-file", "", "`file` that holds the API key (environment: SCHEDCTL_API_KEY_FILE, SCHEDCTL_API_KEY)")
	f.StringVar(&a.Context, "context", "", "use the daemon of the context with this `name` (environment: SCHEDCTL_CONTEXT)")
	f.Var(&a.JSON, "json", "print JSON, with =`fields` only these (see: schedctl help formatting)")
	f.Lookup("json").NoOptDefVal = allFields
	f.VarP(&outputFormat{&a.JSON}, "output", "o", "print in this `format`: text, json, or json=fields, as --json does")
	f.StringVar(&a.jq, "jq", "", "print the result of a jq `expression` on the JSON")
	f.StringVar(&a.template, "template", "", "print the JSON with a template, a `text` for Go's text/template")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print ids only")
	f.BoolVar(&a.NoInput, "no-input", false, "never prompt")
	f.BoolVar(&a.noColor, "no-color", false, "no color (see: schedctl help environment)")
	f.Var(&a.Timeout, "timeout", "the maximum `duration` to wait for a response or, with --wait, for the result")
	f.BoolVar(&a.Debug, "debug", false, "log every request to standard error")
}

func withGroup(id string, cmd *cobra.Command) *cobra.Command {
	cmd.GroupID = id
	return cmd
}

// ParentCommand returns a command that only groups other commands. Alone it shows its
// help. An unknown subcommand is an error with a suggestion.
func ParentCommand(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args)
	}
	return cmd
}

func unknownCommand(cmd *cobra.Command, words []string) error {
	return UsageError("%s has no command %q", cmd.CommandPath(), Clip(words[0], 60)).WithHint(didYouMean(suggestions(cmd, words), "see: "+cmd.CommandPath()+" --help"))
}

// Args returns a check of the number of arguments; what describes them.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var f *Failure
		switch {
		case len(args) < least:
			f = UsageError("%s needs %s", cmd.CommandPath(), what)
		case most >= 0 && len(args) > most && most == 0:
			f = UsageError("unexpected argument %q: %s takes none", args[0], cmd.CommandPath())
		case most >= 0 && len(args) > most:
			f = UsageError("unexpected argument %q: %s takes %s; put quotes around an argument with spaces", args[most], cmd.CommandPath(), what)
		default:
			return nil
		}
		f.Hint = "see: " + cmd.CommandPath() + " --help"
		if most >= 0 && len(args) > most && areFields(cmd, args[len(args)-1]) {
			f.Hint = "fields are joined to --json: write --json=" + args[len(args)-1]
		}
		if text := unquotedTime(cmd, args); most >= 0 && len(args) > most && text != "" {
			f.Hint = fmt.Sprintf("write --at %q", text)
		}
		return f
	}
}

// unquotedTime returns the time that --at and the first or the last arguments are together,
// as in --at tomorrow 9am, or an empty string.
func unquotedTime(cmd *cobra.Command, args []string) string {
	flag := cmd.Flags().Lookup("at")
	if flag == nil || !flag.Changed {
		return ""
	}
	for n := 1; n <= min(len(args), 6); n++ {
		for _, rest := range [][]string{args[:n], args[len(args)-n:]} {
			text := flag.Value.String() + " " + strings.Join(rest, " ")
			if _, err := when.Parse(text, time.Now(), time.UTC); err == nil {
				return text
			}
		}
	}
	return ""
}

// Unlimited lets a command take any number of arguments.
const Unlimited = -1
