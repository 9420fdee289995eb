package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// setup are the flags of "agent setup".
type setup struct {
	*cli.App
	client  mcpClient
	keyFile string
	file    string
	write   bool
}

// settings is the result of "agent setup".
type settings struct {
	Client  string  `json:"client"`
	KeyFile string  `json:"key_file"`
	KeyMade bool    `json:"key_made"`
	File    *string `json:"file"`
	Written bool    `json:"written"`
	Text    string  `json:"text"`
	Check   checked `json:"check"`
}

func newSetup(a *cli.App) *cobra.Command {
	o := &setup{App: a}
	cmd := cli.DeclareJSON[settings](&cobra.Command{
		Use:   "setup CLIENT",
		Short: "Make the key of an agent, and the configuration of its client",
		Long: `Make an API key for an agent in a file that only you can read, show the configuration with
which its client starts schedctl, and check that the key cannot publish. The clients are
claude (Claude Code), cursor, vscode, codex, and generic for others.

With --write the configuration is changed: .mcp.json, .cursor/mcp.json or .vscode/mcp.json
in this directory, or ~/.codex/config.toml. Other servers in it stay. The configuration
has the path of the key and no secret, and needs no other environment than HOME and PATH.

The command can be repeated: a key that is in its file already is used again.`,
		Example: `  schedctl agent setup claude --write
  schedctl agent setup codex
  schedctl agent setup generic --key-file agent.key`,
		Args:      cli.Args(1, 1, "client"),
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(mcpClients, func(c mcpClient) bool { return c.name == args[0] })
			if i < 0 {
				return cli.UnknownValueError("the client", args[0], clientNames())
			}
			o.client = mcpClients[i]
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.keyFile, "key-file", "", "keep the key in this `file` (default: agent-CLIENT.key in the directory of the configuration of schedctl)")
	f.StringVar(&o.file, "config", "", "the `file` with the configuration of the client, instead of the usual one")
	f.BoolVar(&o.write, "write", false, "write the configuration, and do not only show it")
	return cmd
}

func (o *setup) run(ctx context.Context) error {
	if err := o.paths(); err != nil {
		return err
	}
	before, err := o.read()
	if err != nil {
		return err
	}
	e, made, err := o.key(ctx)
	if err != nil {
		return err
	}
	out := settings{Client: o.client.name, KeyFile: o.keyFile, KeyMade: made}
	s := server{Type: "stdio", Command: cli.ProgramPath(), Args: []string{"mcp", "--url", e.URL, "--api-key-file", o.keyFile}}
	if !o.write {
		before = nil
	}
	text, err := o.client.add(before, s)
	if err != nil {
		return fmt.Errorf("%s is not changed: %w", o.file, err)
	}
	out.Text = string(text)
	if o.file != "" {
		out.File = &o.file
	}
	if out.Check, err = o.check(ctx, e); err != nil {
		return err
	}
	if o.write && !out.Check.CanPublish {
		if err := replace(o.file, text); err != nil {
			return fmt.Errorf("write the configuration of %s: %w", o.client.name, err)
		}
		out.Written = true
	}
	return o.report(out)
}

// paths sets the files that were not given, and makes them absolute.
func (o *setup) paths() (err error) {
	if o.keyFile == "" {
		o.keyFile = filepath.Join(o.ConfigDir(), "agent-"+o.client.name+".key")
	}
	if o.file == "" {
		o.file = o.client.file
	}
	if below, ok := strings.CutPrefix(o.file, "~"+string(filepath.Separator)); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("find the configuration of %s: %w", o.client.name, err)
		}
		o.file = filepath.Join(home, below)
	}
	if o.write && o.file == "" {
		return cli.UsageError("--write needs the file of a client that is not known").WithHint("name it with --config FILE, or copy what is shown without --write")
	}
	if o.file != "" {
		if o.file, err = filepath.Abs(o.file); err != nil {
			return err
		}
	}
	o.keyFile, err = filepath.Abs(o.keyFile)
	return err
}

// maxConfiguration is the size of the largest file that is changed.
const maxConfiguration = 4 << 20

// read returns the configuration that is to be changed; nil if there is none.
func (o *setup) read() ([]byte, error) {
	if !o.write {
		return nil, nil
	}
	info, err := os.Stat(o.file)
	if errors.Is(err, fs.ErrNotExist) {
		if target, err := os.Readlink(o.file); err == nil {
			return nil, cli.OtherError("%s is a link to %s, which does not exist", o.file, target).
				WithHint("create that file, or remove the link; nothing was written")
		}
		return nil, nil
	}
	var text []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular() || info.Size() > maxConfiguration:
		return nil, fmt.Errorf("%s is not a file of at most 4 MiB", o.file)
	default:
		text, err = os.ReadFile(o.file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration of %s: %w", o.client.name, err)
	}
	_, err = o.client.add(text, server{}) // before a key is made for nothing
	if err != nil {
		err = fmt.Errorf("%s is not changed: %w", o.file, err)
	}
	return text, err
}

// key returns the daemon with the key in the file of the agent, which it makes if there is
// none.
func (o *setup) key(ctx context.Context) (e cli.Endpoint, made bool, err error) {
	if e, err = o.Endpoint(); err != nil {
		return e, false, err
	}
	admin, err := o.ConnectTo(e)
	if err != nil {
		return e, false, err
	}
	defer admin.Close()
	found, err := cli.ReadKey(o.keyFile)
	if err == nil {
		if err := o.RefuseExposedFile(o.keyFile, privatefile.Reading); err != nil {
			return e, false, err
		}
		e.Key = found
		return e, false, nil
	}
	if _, exists := os.Lstat(o.keyFile); exists == nil {
		return e, false, err
	}
	if err := os.MkdirAll(filepath.Dir(o.keyFile), 0o700); err != nil {
		return e, false, fmt.Errorf("keep the key: %w", err)
	}
	file, err := os.OpenFile(o.keyFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return e, false, fmt.Errorf("keep the key: %w", err)
	}
	created, err := admin.CreateAPIKey(ctx, apiv1.CreateAPIKey{Name: "agent " + o.client.name, Kind: apiv1.KeyAgent})
	if err == nil {
		_, err = file.WriteString(created.Secret + "\n")
		if err = errors.Join(err, file.Sync()); err != nil { // no one has the secret
			err = errors.Join(err, admin.RevokeAPIKey(context.WithoutCancel(ctx), created.APIKey.ID))
		}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(o.keyFile)
		return e, false, fmt.Errorf("keep the key: %w", err)
	}
	e.Key = created.Secret
	return e, true, nil
}

// check checks the key as "agent check" does.
func (o *setup) check(ctx context.Context, e cli.Endpoint) (checked, error) {
	c, err := o.ConnectTo(e)
	if err != nil {
		return checked{}, err
	}
	defer c.Close()
	found, err := check(ctx, c)
	if err != nil && cli.ExitStatus(err) == cli.ExitAuth {
		return found, cli.NewFailure(cli.ExitAuth, schedctl.AuthenticationRequired, "the key in %s is not valid, or not any more", o.keyFile).
			WithHint("repeat the command with another --key-file, which is made if it does not exist")
	}
	found.Warnings = warnings(o.App, e)
	return found, err
}

// replace writes a file, or the target of a link, atomically. A new one can be read by all.
func replace(path string, text []byte) error {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := cli.CreateBeside(path)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (o *setup) report(out settings) error {
	if out.KeyMade {
		o.Messagef("the key of the agent is in %s; it expires on %s", out.KeyFile, o.ShortTime(out.Check.APIKey.ExpiresAt))
	}
	for _, w := range out.Check.Warnings {
		o.Messagef("%s", cli.OneLine(w))
	}
	var err error
	switch {
	case o.JSON.Given:
		err = o.PrintJSON(out)
	case o.Quiet:
		err = o.PrintIDs(out.Check.APIKey.ID)
	case out.Written:
		err = o.Linef("%s starts schedctl with the configuration in %s; restart it", o.client.name, o.file)
	default:
		if out.File != nil {
			o.Messagef("add this to %s, or repeat the command with --write", *out.File)
		}
		err = o.Write([]byte(strings.TrimRight(out.Text, "\n") + "\n"))
	}
	if err == nil && out.Check.CanPublish {
		f := cli.OtherError("the key %q can publish: %s", cli.OneLine(out.Check.APIKey.Name), out.Check.Reason)
		if o.write {
			f = f.WithHint("nothing was written; give another file with --key-file")
		}
		return f
	}
	return err
}
