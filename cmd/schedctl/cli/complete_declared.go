package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// declareCompletions has shells offer files and directories only where a command
// takes some. The noun between backticks in the help of a flag names its value, and
// the usage of a command names its arguments. Other completions are registered with
// the command.
func declareCompletions(cmd *cobra.Command) {
	cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = completeOperand(cmd.Use)
	}
	declare := func(f *pflag.Flag) {
		noun, _ := pflag.UnquoteUsage(f)
		f.Usage = strings.ReplaceAll(f.Usage, "`", "") // shells show it as it is
		if _, found := cmd.GetFlagCompletionFunc(f.Name); !found {
			cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(nil, directiveOf(noun)))
		}
	}
	cmd.PersistentFlags().VisitAll(declare)
	cmd.LocalNonPersistentFlags().VisitAll(declare)
	for _, c := range cmd.Commands() {
		declareCompletions(c)
	}
}

// directiveOf returns what a shell offers for a noun.
func directiveOf(noun string) cobra.ShellCompDirective {
	switch noun {
	case "file", "FILE", "FILE|-":
		return cobra.ShellCompDirectiveDefault
	case "directory", "DIR":
		return cobra.ShellCompDirectiveFilterDirs
	}
	return cobra.ShellCompDirectiveNoFileComp
}

// completeOperand completes the first argument of a command by its usage.
func completeOperand(usage string) cobra.CompletionFunc {
	var noun string
	if words := strings.Fields(usage); len(words) > 1 {
		noun = strings.Trim(words[1], "[].")
	}
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, directiveOf(noun)
	}
}
