package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

type login struct {
	*app
	noKeyring bool
}

func newLogin(a *app) *cobra.Command {
	o := &login{app: a}
	cmd := prints[contextView](&cobra.Command{
		Use:   "login [--url URL]",
		Short: "Keep the key to a daemon and use it",
		Long: `Keep the key to a daemon, in the context that --context names, else in a context
named after the host. The command prompts for the key, or reads it from
--api-key-file FILE, or from standard input with --api-key-file -. The daemon checks
the key. Then the key is stored in the keyring of the desktop or, without a keyring,
in a file that only you can read. From then on commands use this daemon; "schedctl
context use" switches to another.`,
		Example: `  schedctl login --url https://posts.example.org
  cat key | schedctl login --url https://posts.example.org --context work --api-key-file -
  schedctl login --context work --no-keyring`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	cmd.Flags().BoolVar(&o.noKeyring, "no-keyring", false, "keep the key in a file even though there is a keyring")
	return cmd
}

func (o *login) run(ctx context.Context) error {
	cfg, err := o.readConfig()
	if err != nil {
		return err
	}
	name, saved, err := o.target(cfg)
	if err != nil {
		return err
	}
	key, err := o.askKey(ctx, saved.URL)
	if err != nil {
		return err
	}
	me, err := o.verify(ctx, endpoint{url: saved.URL, key: key})
	if err != nil {
		return err
	}
	if before, known := cfg.Contexts[name]; known {
		if err := o.forgetKey(name, before); err != nil {
			o.tell("%v", err)
		}
	}
	if err := o.keepKey(name, &saved, key, !o.noKeyring); err != nil {
		return err
	}
	cfg.Contexts[name], cfg.Current = saved, name
	if err := o.writeConfig(cfg); err != nil {
		return err
	}
	done := fmt.Sprintf("Logged in to workspace %s with key %s:", oneLine(me.Workspace.Name), oneLine(me.APIKey.Name))
	return o.printContext(viewOf(name, saved, name), done)
}

// target returns the context to log in to.
func (o *login) target(cfg config) (name string, saved savedContext, err error) {
	name = o.context
	saved.URL = first(o.url, cfg.Contexts[name].URL, o.getenv("SCHEDCTL_URL"))
	if saved.URL == "" {
		f := usage("login needs to know where the daemon is")
		f.hint = "give --url http://host:port, https://host or unix:///path; the daemon on this machine needs no login"
		return "", saved, f
	}
	if name == "" {
		name = hostName(saved.URL)
	}
	if err := checkContextName(name); err != nil {
		if o.context == "" {
			return "", saved, usage("%s gives no name for a context; choose one with --context", saved.URL)
		}
		return "", saved, err
	}
	if err := checkContext(name, saved); err != nil {
		return "", saved, usage("%v", err)
	}
	if known, there := cfg.Contexts[name]; there && known.URL != saved.URL {
		return "", saved, &failure{
			status: exitConflict, code: codeOther, message: fmt.Sprintf("context %q is for %s", name, known.URL),
			hint: "choose another name with --context, or remove it first: schedctl context remove " + name,
		}
	}
	return name, saved, nil
}

// hostName returns the name of a context for a URL.
func hostName(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.Trim(strings.NewReplacer(":", "-", "[", "", "]", "").Replace(u.Host), "-")
}

// maxKey is above any key.
const maxKey = 4 << 10

// askKey takes the key from where the flags say, else from the person at the
// terminal.
func (o *login) askKey(ctx context.Context, url string) (string, error) {
	switch {
	case o.keyFile == "-":
		if err := o.mayType(); err != nil {
			return "", err
		}
		text, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(o.in, maxKey)) })
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		return checkKey(string(text), "standard input")
	case o.keyFile != "":
		return readKey(o.keyFile)
	case !o.inTerminal || !o.errTerminal || o.noInput:
		f := usage("login cannot prompt for the key")
		f.hint = "give --api-key-file FILE, or --api-key-file - for standard input"
		return "", f
	}
	fmt.Fprintf(o.err, "API key for %s: ", oneLine(url))
	key, err := o.readAnswer(ctx, true)
	if err != nil {
		return "", err
	}
	return checkKey(key, "the answer")
}

// verify asks the daemon whose key it is.
func (o *login) verify(ctx context.Context, e endpoint) (apiv1.Me, error) {
	c, err := o.connectTo(e)
	if err != nil {
		return apiv1.Me{}, err
	}
	return c.Me(ctx)
}
