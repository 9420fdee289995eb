package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// LocalContext is the name of the context for the daemon of this user on this machine.
// It always exists.
const LocalContext = "local"

// LocalURL returns the URL of the daemon of this user, or its default.
func (a *App) LocalURL() string {
	found, err := a.Announcement()
	if err != nil {
		found.URL = ""
	}
	return FirstNonEmpty(found.URL, "http://"+DefaultListen)
}

var contextName = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckContext returns an error for a name or URL that cannot be stored in the file.
func CheckContext(name string, ctx SavedContext) error {
	if err := CheckContextName(name); err != nil {
		return err
	}
	if ctx.Key != "" && ctx.Key != keyKeyring {
		return fmt.Errorf("context %s: key is %q, and can only be %s; a file is named with key_file", name, Clip(ctx.Key, 20), keyKeyring)
	}
	if ctx.Kind != "" && ctx.Kind != KindAgent {
		return fmt.Errorf("context %s: kind is %q, and can only be %s; leave it out for people and programs", name, Clip(ctx.Kind, 20), KindAgent)
	}
	if _, err := client.New(client.Config{URL: ctx.URL}); err != nil {
		return fmt.Errorf("context %s: %w", name, err)
	}
	return nil
}

func CheckContextName(name string) error {
	if !contextName().MatchString(name) || name == LocalContext {
		return UsageError("%q cannot be the name of a context", Clip(name, 70)).
			WithHint("a name has up to 64 letters, digits, dots, dashes and underscores; local is taken")
	}
	return nil
}

// ContextChoice is the context that a command uses. An empty name means no context.
type ContextChoice struct {
	SavedContext
	Name   string
	byFlag bool // given with --context, which precedes the environment

	Announced string // the data directory whose daemon says that it is at the URL
}

// ChooseContext returns the context to use. It does not read the file if the
// environment names the daemon.
func (a *App) ChooseContext() (ContextChoice, error) {
	c := ContextChoice{Name: a.Context, byFlag: a.Context != ""}
	if !c.byFlag {
		if a.URL != "" || a.Getenv("SCHEDCTL_URL") != "" {
			return c, nil
		}
		c.Name = a.Getenv("SCHEDCTL_CONTEXT")
	}
	if c.Name == LocalContext {
		return ContextChoice{byFlag: c.byFlag}, nil
	}
	cfg, err := a.ReadConfig()
	if err != nil {
		return c, err
	}
	if c.Name = FirstNonEmpty(c.Name, cfg.Current); c.Name == "" || c.Name == LocalContext {
		return ContextChoice{}, nil
	}
	found, known := cfg.Contexts[c.Name]
	if !known {
		return c, cfg.Unknown(c.Name)
	}
	c.SavedContext = found
	return c, nil
}

// Unknown returns the error for a missing context.
func (c Config) Unknown(name string) error {
	f := &Failure{Status: ExitNotFound, Code: CodeUsage, Message: fmt.Sprintf("there is no context %q", Clip(name, 70))}
	f.Hint = "the contexts are " + strings.Join(append([]string{LocalContext}, slices.Sorted(maps.Keys(c.Contexts))...), ", ")
	return f
}

func (a *App) CompleteContextFlag(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cfg, err := a.ReadConfig()
	names := []string{LocalContext + "\tthe daemon of this user on this machine"}
	for _, name := range slices.Sorted(maps.Keys(cfg.Contexts)) {
		if err == nil {
			names = append(names, name+"\t"+cfg.Contexts[name].URL)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
