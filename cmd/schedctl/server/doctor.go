package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Diagnosis is the result of one check.
type Diagnosis struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warn or fail
	Detail string `json:"detail"`
	Advice string `json:"advice"` // what to do, or empty
}

// doctor runs the checks. It skips a check if a failed one makes it impossible.
type doctor struct {
	*cli.App
	findings []Diagnosis
	warned   bool // the daemon reported a warning that may explain late posts
}

func NewDoctor(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[Diagnosis](&cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong, and say what to do",
		Long: `Find problems: check the configuration, the daemon, the API key, the clocks, the time
zones, the keyring, the accounts, overdue posts, the forecast of the next 21 days, the
newest media files, and the free disk space of a daemon on this machine, and who can
reach its files. Each check is a line: ok, warn or fail, and what to do. When a check
fails, the exit status is 1. The command changes nothing.

Without a terminal the fields are the status, the check, the result, and what to do.`,
		Example: `  schedctl doctor
  schedctl doctor --jq '.[] | select(.status == "fail") | .advice'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{App: a}
			if d.Timeout == 0 {
				d.Timeout = cli.DurationFlag(healthTime)
			}
			d.examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return context.Cause(cmd.Context())
			}
			return d.report()
		},
	})
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, Diagnosis{check, "ok", fmt.Sprintf(format, args...), ""})
}

func (d *doctor) warn(check, advice, format string, args ...any) {
	d.findings = append(d.findings, Diagnosis{check, "warn", fmt.Sprintf(format, args...), advice})
}

func (d *doctor) fail(check, advice, format string, args ...any) {
	d.findings = append(d.findings, Diagnosis{check, "fail", fmt.Sprintf(format, args...), advice})
}

// failed records an error that includes its own advice.
func (d *doctor) failed(check string, err error) {
	detail, advice := err.Error(), ""
	if known := (*cli.Failure)(nil); errors.As(err, &known) {
		detail, advice = known.Message, known.Hint
	}
	d.fail(check, advice, "%s", detail)
}

// examine runs all checks, first those of this machine.
func (d *doctor) examine(ctx context.Context) {
	d.timeZones()
	d.keyringWorks()
	url, at, err := d.DaemonAddress()
	if err != nil {
		d.failed("configuration", err)
		return
	}
	where := cli.FirstNonEmpty(url, "the local daemon")
	if at.Name != "" {
		where = fmt.Sprintf("context %s, %s", at.Name, url)
	}
	d.ok("configuration", "%s", where)
	local, notLocal := d.Announcement()
	here := url == "" || notLocal == nil && local.URL == url
	if here {
		d.diskHasSpace(d.DataDir(), findVolume)
	}
	c, err := d.Connect()
	if here {
		d.filesAreShared(d.DataDir(), err)
	}
	if err != nil {
		check := "daemon"
		if cli.ExitStatus(err) == cli.ExitAuth {
			check = "key"
		}
		d.failed(check, err)
		return
	}
	defer c.Close()
	if d.daemonResponds(ctx, c) && d.keyIsGood(ctx, c) {
		d.accountsAreWell(ctx, c)
		d.warnAboutPauses(ctx, c)
		d.checkOverdue(ctx, c)
		d.warnAboutPosts(ctx, c)
		d.looksAhead(ctx, c)
		d.mediaIsThere(ctx, c)
	}
}

// report prints the results. It returns an error if any check failed.
func (d *doctor) report() error {
	failed := 0
	var names []string
	for _, f := range d.findings {
		if f.Status == "fail" {
			failed++
			names = append(names, f.Check)
		}
	}
	if err := d.print(names); err != nil || failed == 0 {
		return err
	}
	return cli.OtherError("%d of %s failed: %s", failed, cli.Plural(len(d.findings), "check"), strings.Join(names, ", "))
}

func (d *doctor) print(failed []string) error {
	switch {
	case d.JSON.Given:
		return d.PrintJSON(d.findings)
	case d.Quiet:
		return d.PrintIDs(failed...)
	}
	var b bytes.Buffer
	for _, f := range d.findings {
		if !d.OutTerminal {
			b.WriteString(strings.Join([]string{f.Status, f.Check, cli.OneLine(f.Detail), cli.OneLine(f.Advice)}, "\t") + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", d.Paint(cli.StatusColors[f.Status], fmt.Sprintf("%-4s", f.Status)), d.Bold(fmt.Sprintf("%-13s", f.Check)), cli.OneLine(f.Detail))
		if f.Advice != "" {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat(" ", 21), cli.OneLine(f.Advice))
		}
	}
	return d.Write(b.Bytes())
}

// timeZones checks the time zone database and the local zone.
func (d *doctor) timeZones() {
	var unknown *when.Error
	if errors.As(when.CheckZone(d.Local), &unknown) {
		d.warn("time zones", unknown.Hint, "%s: local times are refused, and times are shown in UTC", unknown.Message)
		return
	}
	for _, name := range []string{"America/New_York", "Europe/Berlin", "Asia/Tokyo"} {
		if _, err := time.LoadLocation(name); err != nil {
			d.fail("time zones", "install a build of schedctl that has the zones in it", "the zone %s cannot be read: %v", name, err)
			return
		}
	}
	now := d.Now().In(d.Local)
	d.ok("time zones", "local time is %s", now.Format("2006-01-02 15:04 MST (UTC-07:00)"))
}

// daemonResponds checks that the daemon responds and is ready, and compares clocks.
func (d *doctor) daemonResponds(ctx context.Context, c *client.Client) bool {
	asked := d.Now()
	said, answer, err := askReady(ctx, c)
	took := d.Now().Sub(asked)
	var another *cli.Failure
	switch {
	case err != nil && answer.Status == 0 || errors.As(err, &another):
		d.failed("daemon", err)
		return false
	case err != nil && answer.Status == http.StatusServiceUnavailable:
		d.fail("daemon", "look at its log", "%s", err)
	case err != nil:
		d.fail("daemon", "check the URL", "the server at %s is not a schedctl daemon: %v", c.URL(), err)
		return false
	default:
		d.ok("daemon", "%s is ready, version %s", c.URL(), cli.FirstNonEmpty(daemonVersion(ctx, c), "unknown"))
	}
	for _, warning := range said.Warnings {
		d.warned = true
		d.warn("daemon", "other posts are published on time", "%s", warning)
	}
	d.clocksAgree(asked.Add(took/2), answer.Header.Get("Date"))
	return true
}
