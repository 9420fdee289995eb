package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newContextAdd(a *app) *cobra.Command {
	var use bool
	cmd := prints[contextView](&cobra.Command{
		Use:   "add NAME --url URL",
		Short: "Add a context",
		Long: `Add a context: a name for the daemon at --url. With --api-key-file the key is read
from that file whenever it is needed; "schedctl login --context NAME" keeps a key
in the keyring instead. The daemon is not asked.`,
		Example: `  schedctl context add work --url https://posts.example.org --api-key-file ~/work.key
  schedctl context add office --url http://10.0.0.7:7733 --use`,
		Args: takes(1, 1, "a name"),
		RunE: func(_ *cobra.Command, args []string) error { return a.addContext(args[0], use) },
	})
	cmd.Flags().BoolVar(&use, "use", false, "use it from now on")
	return cmd
}

func (a *app) addContext(name string, use bool) error {
	if a.url == "" {
		f := usage("a context is where a daemon is, and --url is not given")
		f.hint = "give --url http://host:port, https://host or unix:///path"
		return f
	}
	ctx := savedContext{URL: a.url}
	if err := checkContextName(name); err != nil {
		return err
	}
	if err := checkContext(name, ctx); err != nil {
		return usage("%v", err)
	}
	if a.keyFile != "" {
		if _, err := readKey(a.keyFile); err != nil {
			return err
		}
		path, err := filepath.Abs(a.keyFile)
		if err != nil {
			return fmt.Errorf("find the key: %w", err)
		}
		ctx.KeyFile = path
	}
	cfg, err := a.readConfig()
	if err != nil {
		return err
	}
	if _, there := cfg.Contexts[name]; there {
		return &failure{
			status: exitConflict, code: codeOther, message: fmt.Sprintf("there is a context %q already", name),
			hint: "remove it first: schedctl context remove " + name,
		}
	}
	cfg.Contexts[name] = ctx
	if use {
		cfg.Current = name
	}
	if err := a.writeConfig(cfg); err != nil {
		return err
	}
	return a.printContext(viewOf(name, ctx, cfg.Current), "Added")
}

// printContext prints one context: for people as a sentence that says what was
// done.
func (a *app) printContext(v contextView, done string) error {
	switch {
	case a.json.set:
		return a.printJSON(v)
	case a.quiet:
		return a.printIDs(v.Name)
	case !a.outTerminal:
		return a.printContexts([]contextView{v})
	}
	sentence := fmt.Sprintf("%s context %s, %s", done, a.bold(v.Name), v.URL)
	if !v.Current {
		sentence += "; use it with: schedctl context use " + v.Name
	}
	return a.write([]byte(sentence + "\n"))
}
