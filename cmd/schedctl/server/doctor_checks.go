package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/forecast"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/daemon/publish/all"
)

// Limits for the difference between clocks. The daemon reports whole seconds, and its
// response takes a moment.
const (
	clockWarns = 3 * time.Second
	clockFails = time.Minute
)

// clocksAgree compares the local clock with the Date of the daemon's response.
func (d *doctor) clocksAgree(here time.Time, date string) {
	there, err := http.ParseTime(date)
	if err != nil {
		d.warn("clock", "a proxy may have removed it", "the response of the daemon has no Date header")
		return
	}
	skew := there.Add(time.Second / 2).Sub(here) // it has whole seconds
	switch text := skew.Abs().Round(time.Second).String(); {
	case skew.Abs() >= clockFails:
		d.fail("clock", "set the clock of this machine and of the daemon's, best with NTP: the daemon's clock decides when posts are published", "the clocks of this machine and of the daemon differ by %s", text)
	case skew.Abs() >= clockWarns:
		d.warn("clock", "set the clock of this machine and of the daemon's, best with NTP", "the clocks of this machine and of the daemon differ by %s", text)
	default:
		d.ok("clock", "the clocks here and there agree")
	}
}

// filesAreShared warns of a data directory that other users can reach, if that is allowed.
// Otherwise the commands refuse it. notConnected is the error of the connection to the daemon,
// which is another finding.
func (d *doctor) filesAreShared(dir string, notConnected error) {
	var refused *cli.Failure
	if !errors.As(cli.ExposedData(dir), &refused) || problemOf(notConnected) == refused.Message {
		return
	}
	if r, err := recordIn(dir); d.SharedFilesAllowed() || err == nil && r.value(sharedFilesFlag) == "true" {
		d.warn("files", "keep the data where only the user of the daemon can reach it", "%s; --allow-shared-files permits it", refused.Message)
	}
}

// keyringWorks checks whether "schedctl login" could store a key in the keyring.
func (d *doctor) keyringWorks() {
	_, err := d.Keyring.Get(cli.KeyringService, "doctor")
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		d.ok("keyring", "the keyring of this desktop can be used")
		return
	}
	d.warn("keyring", "nothing has to be done: schedctl login keeps keys in files that only you may read", "there is no keyring that can be used: %v", err)
}

// keySoon is the time before the expiry of a key in which doctor warns.
const keySoon = 7 * 24 * time.Hour

// keyIsGood checks the API key.
func (d *doctor) keyIsGood(ctx context.Context, c *client.Client) bool {
	me, err := c.Me(ctx)
	if err != nil {
		d.failed("key", d.KeylessError(err))
		return false
	}
	if e := me.APIKey.ExpiresAt; e != nil && e.Sub(d.Now()) < keySoon {
		d.warn("key", "make a new one: schedctl key create", "the key %s of workspace %s expires %s", me.APIKey.Name, me.Workspace.Name, when.Relative(e.Time, d.Now()))
		return true
	}
	d.ok("key", "%s, of workspace %s", me.APIKey.Name, me.Workspace.Name)
	return true
}

// accountsAreWell checks the status of the accounts.
func (d *doctor) accountsAreWell(ctx context.Context, c *client.Client) {
	list, err := c.Accounts(ctx, client.AccountQuery{})
	switch {
	case err != nil:
		d.failed("accounts", err)
		return
	case len(list) == 0:
		d.warn("accounts", account.AddAdvice, "there is no account yet")
		return
	}
	well := 0
	for _, acct := range list {
		if acct.Status == schedctl.AccountConnected {
			well++
			continue
		}
		advice := "see: schedctl account show " + acct.ID
		switch {
		case account.NeedsReconnect(acct):
			advice = "schedctl account reconnect " + acct.ID
		case acct.Error != nil && acct.Error.Kind == schedctl.KindAuth:
			advice = "do that, then: schedctl account verify " + acct.ID
		}
		d.fail("accounts", advice, "%s (%s) is in status %s: %s", acct.Name, acct.Platform, acct.Status, cli.FirstNonEmpty(account.TargetErrorText(acct.Error), "no reason is known"))
	}
	warned := false
	for _, acct := range list {
		if acct.Waits != nil {
			warned = true
			d.warn("accounts", "see: schedctl account show "+acct.ID, "%s (%s) waits until %s: %s", acct.Name, acct.Platform, d.TimeText(acct.Waits.Until), acct.Waits.Message)
		}
		for _, w := range acct.Warnings {
			warned = true
			d.warn("accounts", "see: schedctl account show "+acct.ID, "%s (%s): %s", acct.Name, acct.Platform, w)
		}
	}
	warned = d.factsAge(list) || warned
	d.resultsAreRead(list)
	if well == len(list) && !warned {
		d.ok("accounts", "%s connected", cli.Plural(well, "account"))
	}
}

// factsAge names what this program knows about the networks of the accounts that may soon
// not be true, and reports whether there is such a fact.
func (d *doctor) factsAge(list []apiv1.Account) (warned bool) {
	seen := map[string]bool{}
	for _, acct := range list {
		if seen[acct.Platform] {
			continue
		}
		seen[acct.Platform] = true
		for _, a := range all.AgeSoon(acct.Platform, d.Now()) {
			warned = true
			d.warn("accounts", "update schedctl", "%s: %s, which this schedctl uses, may not be accepted after %s", acct.Platform, a.What, a.When())
		}
	}
	return warned
}

// maxWatched is how many scheduled posts doctor looks at for warnings.
const maxWatched = 1000

// warnAboutPosts reports the scheduled posts that have warnings: their accounts are gone, or
// the key that made them.
func (d *doctor) warnAboutPosts(ctx context.Context, c *client.Client) {
	list, _, err := cli.Collect(c.EachPost(ctx, client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled}, Sort: "publish_at", Limit: post.PageSize}), maxWatched)
	if err != nil {
		d.failed("posts", err)
		return
	}
	about := map[string]int{}
	var texts []string
	for _, p := range list {
		for _, text := range p.Warnings {
			if about[text]++; about[text] == 1 {
				texts = append(texts, text)
			}
		}
	}
	for i, text := range texts {
		if i == 10 {
			d.warn("posts", "see: schedctl post list --status scheduled", "%d more warnings about scheduled posts", len(texts)-i)
			return
		}
		d.warn("posts", "see: schedctl post list --status scheduled", "%s: %s", cli.Plural(about[text], "scheduled post"), text)
	}
}

// looksAhead reports what will make posts of the next days fail or be late.
func (d *doctor) looksAhead(ctx context.Context, c *client.Client) {
	found, err := c.Forecast(ctx, 0)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound: // an earlier version of the daemon
	case err != nil:
		d.failed("forecast", err)
	case len(found.Results) == 0 && found.Truncated:
		d.ok("forecast", "%s", forecast.NothingUntil(d.App, found.Until))
	case len(found.Results) == 0:
		d.ok("forecast", "nothing will fail or be late in the next 21 days")
	default:
		first := found.Results[0]
		d.warn("forecast", "see: schedctl forecast", "%s to fix in the next 21 days; the first: %s", cli.Plural(len(found.Results), "thing"), d.LocalTimes(first.Message))
	}
}

// Posts are published within a second of their time. Longer delays are reported.
const (
	lagWarns = 10 * time.Second
	lagFails = time.Minute
)

// checkOverdue checks for overdue posts: those that are not claimed yet, are being
// published, or will be retried. Posts that wait for an account are reported with the
// account.
func (d *doctor) checkOverdue(ctx context.Context, c *client.Client) {
	names := post.AccountsByID(ctx, c)
	late, longest := 0, time.Duration(0)
	q := client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}, Before: d.Now().Add(-lagWarns), Sort: "publish_at", Limit: post.PageSize}
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			d.failed("lag", err)
			return
		}
		if p.PublishAt == nil || waitsForAccounts(p, names) {
			continue
		}
		late++
		longest = max(longest, d.Now().Sub(p.PublishAt.Time))
		if late == maxLate {
			break
		}
	}
	switch {
	case late == 0:
		d.ok("lag", "no post is late")
	case d.warned:
		d.warn("lag", "see the warnings of the daemon above", "%s waiting for up to %s", cli.IsOrAre(late, "post"), longest.Round(time.Second))
	case longest < lagFails:
		d.warn("lag", "check again in a minute", "%s waiting for up to %s", cli.IsOrAre(late, "post"), longest.Round(time.Second))
	default:
		d.fail("lag", "look at the log of the daemon, and at schedctl post list --status scheduled --status publishing --sort publish_at", "%s waiting for up to %s", cli.IsOrAre(late, "post"), longest.Round(time.Second))
	}
}

// maxLate is the maximum number of late posts that are counted.
const maxLate = 10_000

// waitsForAccounts reports whether all unfinished targets of a post wait for a known reason:
// for accounts that do not work, or for the end of a hold.
func waitsForAccounts(p apiv1.Post, names post.Accounts) bool {
	for _, t := range p.Targets {
		if (t.Status == schedctl.Scheduled || t.Status == schedctl.Publishing) && !post.IsHeld(t, names) && t.Waits == nil {
			return false
		}
	}
	return true
}
