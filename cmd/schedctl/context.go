package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// localContext is the daemon that this user runs on this machine. It is always
// there.
const localContext = "local"

// localURL is where the daemon of this user is, or would be.
func (a *app) localURL() string {
	found, err := a.announcement()
	if err != nil {
		found.URL = ""
	}
	return first(found.URL, "http://"+defaultListen)
}

var contextName = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// checkContext refuses what could not be written to the file and read again.
func checkContext(name string, ctx savedContext) error {
	if err := checkContextName(name); err != nil {
		return err
	}
	if ctx.Key != "" && ctx.Key != keyKeyring {
		return fmt.Errorf("context %s: key is %q, and can only be %s; a file is named with key_file", name, clip(ctx.Key, 20), keyKeyring)
	}
	if _, err := client.New(client.Config{URL: ctx.URL}); err != nil {
		return fmt.Errorf("context %s: %w", name, err)
	}
	return nil
}

func checkContextName(name string) error {
	if !contextName().MatchString(name) || name == localContext {
		f := usage("%q cannot be the name of a context", clip(name, 70))
		f.hint = "a name has up to 64 letters, digits, dots, dashes and underscores; local is taken"
		return f
	}
	return nil
}

// chosen is the context that a command uses. An empty name means no context.
type chosen struct {
	savedContext
	name   string
	byFlag bool // with --context, which goes before the environment

	announced string // the data directory whose daemon says that it is at the URL
}

// chooseContext returns the context to use. Where the environment says where the
// daemon is, the file is not looked at.
func (a *app) chooseContext() (chosen, error) {
	c := chosen{name: a.context, byFlag: a.context != ""}
	if !c.byFlag {
		if a.url != "" || a.getenv("SCHEDCTL_URL") != "" {
			return c, nil
		}
		c.name = a.getenv("SCHEDCTL_CONTEXT")
	}
	if c.name == localContext {
		return chosen{byFlag: c.byFlag}, nil
	}
	cfg, err := a.readConfig()
	if err != nil {
		return c, err
	}
	if c.name = first(c.name, cfg.Current); c.name == "" || c.name == localContext {
		return chosen{}, nil
	}
	found, known := cfg.Contexts[c.name]
	if !known {
		return c, cfg.unknown(c.name)
	}
	c.savedContext = found
	return c, nil
}

// unknown is the failure of a context that does not exist.
func (c config) unknown(name string) error {
	f := &failure{status: exitNotFound, code: codeUsage, message: fmt.Sprintf("there is no context %q", clip(name, 70))}
	f.hint = "the contexts are " + strings.Join(append([]string{localContext}, slices.Sorted(maps.Keys(c.Contexts))...), ", ")
	return f
}

func (a *app) completeContextFlag(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cfg, err := a.readConfig()
	names := []string{localContext + "\tthe daemon of this user on this machine"}
	for _, name := range slices.Sorted(maps.Keys(cfg.Contexts)) {
		if err == nil {
			names = append(names, name+"\t"+cfg.Contexts[name].URL)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
