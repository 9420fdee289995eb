package server

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
)

// register adds the flags of "daemon run" to a command.
func (o *daemonRun) register(cmd *cobra.Command) {
	o.maxLateness = cli.DurationFlag(daemon.DefaultMaxLateness)
	o.flags = pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	f := o.flags
	f.StringVar(&o.dir, dataDirFlag, "", "the data `directory`")
	f.StringVar(&o.store, storeFlagName, "", "the `database`: bolt:PATH, schedctl.db in the data directory by default, or postgres://user@host/name")
	f.StringVar(&o.listen, "listen", cli.DefaultListen, "where to listen: `host:port`, or unix:///path")
	f.BoolVar(&o.allowPrivate, "allow-private-networks", false, "allow accounts and webhooks on loopback, private and link-local addresses, and networks over http")
	f.Bool(sharedFilesFlag, false, "start although other users can reach the files of the data directory, for file systems that ignore modes")
	f.Var(&o.maxLateness, "max-lateness", "posts that are later than this `duration`, for example after an outage, are not sent")
	f.StringVar(&o.logFormat, "log-format", "text", "the `format` of the log: text or json")
	f.StringVar(&o.logLevel, logLevelFlag, "", "the least important `level` of lines in the log: debug, info, warn or error; by default info, and debug with --debug")
	f.StringVar(&o.publicURL, "public-url", "", "the public `URL` of this daemon, with the path below which a proxy serves it; for feeds, calendars, the API, and networks that fetch files")
	f.Var(&o.proxies, "trusted-proxy", "the address or `CIDR` block of a proxy whose X-Forwarded-For names the clients, or unix; can be given several times")
	f.Var(&o.rateLimit, "rate-limit", "how many requests each API key may make, 20/s for example, or 20/s:40 to allow 40 at once")
	f.Var(&o.results, "results", "whether to read what became of published posts, a `choice`: on or off")
	o.media.register(f)
	f.VisitAll(func(f *pflag.Flag) { f.Usage += " (environment: " + cli.FlagVariable(f.Name) + ")" })
	cmd.Flags().AddFlagSet(f)
	cmd.PreRun = func(*cobra.Command, []string) { o.SharedFiles = f.Lookup(sharedFilesFlag) } // other commands have this flag, too
	cmd.RegisterFlagCompletionFunc("log-format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions(logLevels, cobra.ShellCompDirectiveNoFileComp))
}

// settle reads the variables of flags, checks all values, and returns the absolute path of
// the data directory, and the database. It changes nothing outside of o.
func (o *daemonRun) settle() (dir string, name storeName, err error) {
	if err := o.readEnvironment(); err != nil {
		return "", name, err
	}
	if _, err := o.daemonLog(); err != nil {
		return "", name, err
	}
	if err := checkListen(o.source("listen"), o.listen); err != nil {
		return "", name, err
	}
	if err := checkPublicURL(o.source("public-url"), o.publicURL); err != nil {
		return "", name, err
	}
	if err := o.media.check(o.source); err != nil {
		return "", name, err
	}
	if dir, err = o.chosenDir(); err != nil {
		return "", name, err
	}
	name, err = o.storeName(dir)
	return dir, name, err
}

// chosenDir returns the data directory as an absolute path.
func (o *daemonRun) chosenDir() (string, error) {
	given := cli.FirstNonEmpty(o.dir, o.Getenv("SCHEDCTL_DATA_DIR"), o.Getenv("XDG_DATA_HOME"), o.Getenv("HOME"))
	if given == "" && o.Goos != "windows" {
		return "", cli.OtherError("HOME is not set, so there is no default data directory").WithHint("give one with --data-dir or SCHEDCTL_DATA_DIR")
	}
	dir, err := filepath.Abs(cli.FirstNonEmpty(o.dir, o.DataDir()))
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return dir, nil
}

// given reports whether the command line has a flag of the daemon other than
// --data-dir.
func (o *daemonRun) given() (any bool) {
	o.flags.VisitAll(func(f *pflag.Flag) { any = any || f.Changed && f.Name != dataDirFlag })
	return any
}

// args returns the flags of "daemon run" that, together with
// [daemonRun.childEnvironment], start the same daemon from any working directory. They hold no
// password.
func (o *daemonRun) args(dir string, name storeName) []string {
	args := []string{"--" + dataDirFlag + "=" + dir}
	if name.source == storeFlag {
		args = append(args, storeFlag+"="+name.stored())
	}
	o.flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != dataDirFlag && f.Name != storeFlagName {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	if o.Debug && !o.has(logLevelFlag) {
		args = append(args, "--"+logLevelFlag+"=debug")
	}
	return args
}

// checkListen checks the syntax of the address on which the daemon listens, which was given by
// source.
func checkListen(source, text string) error {
	if path, unix := strings.CutPrefix(text, "unix://"); unix {
		if !filepath.IsAbs(path) {
			return cli.UsageError("%s %q: the socket path must be absolute, as in unix:///run/schedctl.sock", source, text)
		}
		return nil
	}
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return cli.UsageError("%s %q: write host:port with a port up to 65535, such as %s, or unix:///path", source, text, cli.DefaultListen)
	}
	return nil
}

// checkPublicURL checks the public URL of the daemon, which was given by source.
func checkPublicURL(source, text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" ||
		strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return cli.UsageError("%s %q: write http://host or https://host, with a path if there is one", source, text)
	}
	if u.User != nil {
		return cli.UsageError("%s has a user or a password, which feeds and calendars would show to everyone; leave it out", source)
	}
	return nil
}
