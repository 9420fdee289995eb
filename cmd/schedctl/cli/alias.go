package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// aliases are additional names for commands, by the name of the command. Other
// programs use these names.
var aliases = map[string][]string{
	"list":   {"ls"},
	"show":   {"get"},
	"create": {"new"},
	"add":    {"new", "create"},
	"edit":   {"update"},
	"delete": {"rm", "remove"},
	"remove": {"rm", "delete"},
	"revoke": {"rm", "remove", "delete"},
}

// suggestFor has the commands to suggest for words that are not commands.
var suggestFor = map[string][]string{
	"account":  {"profile", "connect"},
	"add":      {"connect"},
	"cancel":   {"abort", "stop"},
	"context":  {"config"},
	"create":   {"write", "add", "draft"},
	"delete":   {"del", "erase"},
	"edit":     {"change", "modify", "set"},
	"me":       {"whoami"},
	"notify":   {"notification", "notifications", "alert"},
	"post":     {"tweet", "toot"},
	"publish":  {"send"},
	"run":      {"serve", "start"},
	"schedule": {"move", "reschedule"},
	"show":     {"view", "info", "describe", "status"},
	"start":    {"init", "setup"},
	"status":   {"log", "logs"},
}

// addAliases gives the commands below cmd their aliases. Nouns have none: a plural
// gets a suggestion.
func addAliases(cmd *cobra.Command) {
	cmd.SuggestFor = suggestFor[cmd.Name()]
	if cmd.HasParent() && cmd.Parent().HasParent() {
		cmd.Aliases = aliases[cmd.Name()]
	}
	for _, c := range cmd.Commands() {
		addAliases(c)
	}
}

// maxSuggestions keeps an error message readable.
const maxSuggestions = 3

// suggestions returns the commands that unknown words may mean: commands with this
// name below any noun, or else commands with a similar name.
func suggestions(cmd *cobra.Command, words []string) (names []string) {
	if !cmd.HasParent() {
		names = sameVerb(cmd, words[0])
	}
	if names == nil {
		names = similarCommands(cmd, words)
	}
	return names[:min(len(names), maxSuggestions)]
}

// sameVerb returns the commands with this name below all nouns.
func sameVerb(root *cobra.Command, word string) (names []string) {
	for _, noun := range root.Commands() {
		for _, c := range noun.Commands() {
			if c.Name() == word || c.HasAlias(word) || slices.Contains(c.SuggestFor, word) {
				names = append(names, noun.Name()+" "+c.Name())
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return byUse(a) - byUse(b) })
	return names
}

// similarCommands returns the commands below cmd with a name similar to the first
// word.
func similarCommands(cmd *cobra.Command, words []string) (names []string) {
	cmd.SuggestionsMinimumDistance = maxTypos(words[0])
	for _, name := range cmd.SuggestionsFor(words[0]) {
		if len(words) > 1 {
			if c, _, err := cmd.Find([]string{name, words[1]}); err == nil && c.Name() != name {
				name += " " + c.Name()
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// byUse sorts commands so that the most used nouns come first.
func byUse(name string) int {
	noun, _, _ := strings.Cut(name, " ")
	if i := slices.Index([]string{"post", "account", "daemon"}, noun); i >= 0 {
		return i
	}
	return len(name) + 3
}

// maxTypos returns how many characters of a name may be wrong: at most half of the
// characters of a short word.
func maxTypos(word string) int { return min(2, len(word)/2) }

// flagWords are names of flags in other programs, with our flags.
var flagWords = map[string][]string{
	"at":           {"when", "time", "date", "publish-at", "schedule"},
	"to":           {"account", "accounts", "target"},
	"file":         {"from-file", "input"},
	"yes":          {"force", "confirm", "assume-yes"},
	"json":         {"format"},
	"search":       {"query", "grep", "text"},
	"url":          {"host", "server", "address", "endpoint"},
	"api-key-file": {"api-key", "token", "key"},
	"context":      {"profile", "environment"},
	"quiet":        {"silent", "ids"},
	"tz":           {"timezone", "zone"},
	"after":        {"since", "from"},
	"before":       {"until"},
	"label":        {"tag", "campaign"},
}

// nearFlags returns the flags that a mistyped or foreign name may mean.
func nearFlags(cmd *cobra.Command, typed string) (names []string) {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	names = nearest(known, typed)
	for _, name := range known {
		if slices.Contains(flagWords[name], typed) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range names {
		names[i] = "--" + names[i]
	}
	return names
}
