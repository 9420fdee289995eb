package cli

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli/filter"
	"github.com/schedctl/schedctl/tui/printable"
)

// compileFilter compiles --jq or --template before the command does anything. Both
// imply --json.
func (a *App) compileFilter(cmd *cobra.Command) error {
	if a.jq == "" && a.template == "" {
		return nil
	}
	flag, text, compile, hint := "--jq", a.jq, filter.JQ, `write an expression of jq, such as .id or '.[] | select(.status == "failed") | .id'`
	if a.template != "" {
		flag, text, compile, hint = "--template", a.template, filter.Template, "see: schedctl help formatting"
	}
	switch {
	case !printsJSON(cmd):
		return UsageError("%s has no JSON for %s to work on", cmd.CommandPath(), flag)
	case len(text) > filter.MaxExpression:
		return UsageError("%s has %d bytes, and at most %d can be read", flag, len(text), filter.MaxExpression)
	}
	compiled, err := compile(text, filter.Options{
		Terminal: a.OutTerminal, Colored: a.Colored(), Width: a.Width,
		Now: a.Now, Local: a.Local, Environ: a.Environ,
		Printable: printable.Clean, Indent: a.ForReader,
	})
	if err != nil {
		return UsageError("%s: %v", flag, err).WithHint(hint)
	}
	a.JSON.Given = true
	a.Filter = func(doc []byte) ([]byte, error) {
		out, err := compiled(doc)
		if err != nil { // the command has done its work by now
			return nil, OtherError("%s: %v", flag, err).WithHint("the command itself was carried out; --json shows what there is to choose from")
		}
		return out, nil
	}
	return nil
}
