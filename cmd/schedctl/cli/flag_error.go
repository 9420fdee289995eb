package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/client/when"
)

func valueForm(typ string) string {
	switch typ {
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	case "rate":
		return rateForm
	case "size":
		return "a size with its unit, such as 20MB"
	case outputType:
		return "json, or json=id,status for some fields; see: schedctl help formatting"
	}
	return "a " + typ
}

// textWords are names of flags with which other programs take the text of a post.
var textWords = []string{"content", "text", "message", "body", "status"}

// writeDashes is the hint for a text that is read as a flag.
const writeDashes = `write -- before a text that starts with "-", after all flags`

// flagError returns the error for an invalid flag, with a suggestion. If the command
// does not exist, the error is about the command.
func flagError(cmd *cobra.Command, err error) error {
	see := "see: " + cmd.CommandPath() + " --help"
	var (
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
		misread *when.Error
		refused *Failure
	)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &value) && value.GetValue() == "":
		return emptyError(value.GetFlag().Name)
	case errors.As(err, &misread) && errors.As(err, &value):
		return UsageError("--%s: %s", value.GetFlag().Name, misread.Message).WithHint(misread.Hint)
	case errors.As(err, &refused) && errors.As(err, &value):
		return UsageError("--%s %q: %s", value.GetFlag().Name, value.GetValue(), refused.Message).WithHint(refused.Hint)
	case errors.As(err, &value):
		return UsageError("--%s does not take %q", value.GetFlag().Name, value.GetValue()).WithHint("it takes " + valueForm(value.GetFlag().Value.Type()))
	case errors.As(err, &unknown) && strings.ContainsFunc(FirstNonEmpty(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), unicode.IsSpace):
		return UsageError("the argument %q is read as a flag, because it starts with \"-\"", "-"+Clip(FirstNonEmpty(unknown.GetSpecifiedShortnames(), "-"+unknown.GetSpecifiedName()), 40)).
			WithHint(writeDashes)
	case errors.As(err, &unknown) && cmd.HasSubCommands() && cmd.Flags().NArg() > 0:
		return unknownCommand(cmd, cmd.Flags().Args())
	case errors.As(err, &unknown) && cmd.Flag(unknown.GetSpecifiedShortnames()) != nil: // -json
		return UsageError("unknown flag -%s", unknown.GetSpecifiedShortnames()).WithHint("did you mean --" + unknown.GetSpecifiedShortnames() + "?")
	case errors.As(err, &unknown) && takesText(cmd) && slices.Contains(textWords, unknown.GetSpecifiedName()):
		return UsageError("unknown flag --%s", unknown.GetSpecifiedName()).WithHint("the text is an argument: " + strings.TrimSuffix(cmd.Parent().CommandPath()+" "+plainUse(cmd), "TEXT") + `"Hello"`)
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		if takesText(cmd) {
			see += ", or " + writeDashes
		}
		return UsageError("unknown flag --%s", unknown.GetSpecifiedName()).WithHint(didYouMean(nearFlags(cmd, unknown.GetSpecifiedName()), see))
	case errors.As(err, &unknown) && takesText(cmd):
		return UsageError("unknown flag -%s", unknown.GetSpecifiedName()).WithHint(see + ", or " + writeDashes)
	}
	return UsageError("%v", err).WithHint(see)
}

// plainUse returns the arguments of a command after its name, without brackets.
func plainUse(cmd *cobra.Command) string {
	return strings.NewReplacer("[", "", "]", "").Replace(cmd.Use)
}

// takesText reports whether the last argument of a command is a text, and not the value of a
// flag.
func takesText(cmd *cobra.Command) bool {
	return strings.HasSuffix(plainUse(cmd), " TEXT") && !strings.Contains(cmd.Use, "--")
}

// nearest returns names that are similar to a mistyped one, compared in the same way
// as cobra compares commands.
func nearest(names []string, typed string) []string {
	near := &cobra.Command{SuggestionsMinimumDistance: maxTypos(typed)}
	for _, name := range names {
		near.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return near.SuggestionsFor(typed)
}

// UnknownNameError returns the error of a flag whose value is not one of many names. format
// takes the value.
func UnknownNameError(format, value string, known []string) error {
	return UsageError(format, value).WithHint(didYouMean(nearest(known, value), "the shell completes the names"))
}

func didYouMean(candidates []string, otherwise string) string {
	if len(candidates) == 0 {
		return otherwise
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(candidates, " or "))
}

// emptyError returns the error of a flag whose value is empty.
func emptyError(flag string) error {
	return UsageError("--%s is empty", flag).WithHint("give it a value or leave it out")
}

// refuseEmpty returns an error for an empty flag value. It usually comes from an unset
// variable, and could turn a scheduled post into a draft or remove a filter.
func refuseEmpty(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		var values []string
		if list, isList := f.Value.(pflag.SliceValue); isList {
			values = list.GetSlice()
		} else if f.Value.Type() == "string" {
			values = []string{f.Value.String()}
		}
		if err == nil && slices.Contains(values, "") {
			err = emptyError(f.Name)
		}
	})
	return err
}

func UnknownValueError(flag, value string, known []string) error {
	use := "use "
	if len(known) > 1 {
		use = "use one of "
	}
	return UsageError("%s %q is not known", flag, value).WithHint(use + strings.Join(known, ", "))
}
