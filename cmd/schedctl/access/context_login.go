package access

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type login struct {
	*cli.App
	noKeyring bool
}

func NewLogin(a *cli.App) *cobra.Command {
	o := &login{App: a}
	cmd := cli.DeclareJSON[contextView](&cobra.Command{
		Use:   "login [--url URL]",
		Short: "Keep the key to a daemon and use it",
		Long: `Store the API key for a daemon in the context that --context names, or else in a
context named after the host. The command prompts for the key, or reads it from
--api-key-file FILE, or from standard input with --api-key-file -. The daemon checks
the key. Then the key is stored in the keyring of the desktop or, without a keyring,
in a file that only you can read. From then on commands use this daemon; "schedctl
context use" switches to another.`,
		Example: `  schedctl login --url https://posts.example.org
  cat key | schedctl login --url https://posts.example.org --context work --api-key-file -
  schedctl login --context work --no-keyring`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	cmd.Flags().BoolVar(&o.noKeyring, "no-keyring", false, "store the key in a file, even if there is a keyring")
	return cmd
}

func (o *login) run(ctx context.Context) error {
	cfg, err := o.ReadConfig()
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
	me, err := o.verify(ctx, cli.Endpoint{URL: saved.URL, Key: key})
	if err != nil {
		return err
	}
	if before, known := cfg.Contexts[name]; known {
		if err := o.ForgetKey(name, before); err != nil {
			o.Messagef("%v", err)
		}
	}
	if err := o.KeepKey(name, &saved, key, !o.noKeyring); err != nil {
		return err
	}
	cfg.Contexts[name], cfg.Current = saved, name
	if err := o.WriteConfig(cfg); err != nil {
		return err
	}
	done := fmt.Sprintf("Logged in to workspace %s with key %s:", cli.OneLine(me.Workspace.Name), cli.OneLine(me.APIKey.Name))
	return printContext(o.App, viewOf(name, saved, name), done)
}

// target returns the context to log in to.
func (o *login) target(cfg cli.Config) (name string, saved cli.SavedContext, err error) {
	name = o.Context
	saved.Kind = cfg.Contexts[name].Kind
	saved.URL = cli.FirstNonEmpty(o.URL, cfg.Contexts[name].URL, o.Getenv("SCHEDCTL_URL"))
	if saved.URL == "" {
		return "", saved, cli.UsageError("login needs the address of the daemon").
			WithHint("give --url http://host:port, https://host or unix:///path; the daemon on this machine needs no login")
	}
	if name == "" {
		name = hostName(saved.URL)
		saved.Kind = cfg.Contexts[name].Kind
	}
	if err := cli.CheckContextName(name); err != nil {
		if o.Context == "" {
			return "", saved, cli.UsageError("%s gives no name for a context; choose one with --context", saved.URL)
		}
		return "", saved, err
	}
	if err := cli.CheckContext(name, saved); err != nil {
		return "", saved, cli.UsageError("%v", err)
	}
	if known, there := cfg.Contexts[name]; there && known.URL != saved.URL {
		return "", saved, cli.NewFailure(cli.ExitConflict, cli.CodeOther, "context %q is for %s", name, known.URL).
			WithHint("choose another name with --context, or remove it first: schedctl context remove " + name)
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

// maxKey is longer than any key, in bytes.
const maxKey = 4 << 10

// askKey reads the key from the source that the flags name, or prompts for it.
func (o *login) askKey(ctx context.Context, url string) (string, error) {
	switch {
	case o.KeyFile == "-":
		if err := o.MayType(); err != nil {
			return "", err
		}
		text, err := cli.ReadInterruptibly(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(o.In, maxKey)) })
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		return cli.CheckKey(string(text), "standard input")
	case o.KeyFile != "":
		return cli.ReadKey(o.KeyFile)
	case !o.Asks():
		return "", cli.UsageError("login cannot prompt for the key").WithHint("give --api-key-file FILE, or --api-key-file - for standard input")
	}
	o.Prompt("API key for " + cli.OneLine(url) + ": ")
	key, err := o.ReadAnswer(ctx, true)
	if err != nil {
		return "", err
	}
	return cli.CheckKey(key, "the answer")
}

// verify checks the key with the daemon and returns whose key it is.
func (o *login) verify(ctx context.Context, e cli.Endpoint) (apiv1.Me, error) {
	c, err := o.ConnectTo(e)
	if err != nil {
		return apiv1.Me{}, err
	}
	return c.Me(ctx)
}
