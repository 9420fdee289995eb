package results

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// firstPause and lastPause are the pauses after readings that a network did not respond to, or
// for which it gave no time.
const firstPause, lastPause = 15 * time.Minute, 24 * time.Hour

// waiting is what this node knows about the readings of an account. All of it may be lost.
type waiting struct {
	failures int                    // since the last success
	until    time.Time              // no reading before
	reason   schedctl.ResultsReason // of until
	verified bool                   // the network was asked about the credentials since the last success
}

// rulesOf returns the rules for the readings of an account. ok is false if this node does not
// read it: wanted says whether any node should.
func (r *Reader) rulesOf(a *schedctl.Account) (reader publish.ResultsReader, rules publish.ResultsRules, wanted, ok bool) {
	reader, reads := r.cfg.Publishers[a.Platform].(publish.ResultsReader)
	if !reads || a.Status != schedctl.AccountConnected {
		return nil, rules, false, false
	}
	rules = reader.ResultsRules(*a)
	wanted = rules.Refused == "" && rules.Wanted(a)
	return reader, rules, wanted, wanted && (r.cfg.Member == nil || r.cfg.Member.Mine(a.ID))
}

// limit returns why no posts of an account may be read now, and until when. Otherwise it
// returns how many may, of those that are asked for.
func (r *Reader) limit(log *schedctl.AccountResults, a *schedctl.Account, rules *publish.ResultsRules, posts int, now time.Time) (n int, reason schedctl.ResultsReason, until time.Time) {
	r.mu.Lock()
	w := r.accounts[a.ID]
	r.mu.Unlock()
	if now.Before(w.until) {
		return 0, w.reason, w.until
	}
	setting, hour := a.ResultsSetting(), now.UTC().Truncate(time.Hour)
	if log.RequestsSince(hour) >= setting.PerHour {
		return 0, schedctl.ResultsBudget, hour.Add(time.Hour)
	}
	left := setting.Budget - log.SpentIn(now)
	for posts > 0 && rules.MostCost(posts) > left {
		posts--
	}
	if posts == 0 {
		return 0, schedctl.ResultsBudget, schedctl.MonthOf(now).AddDate(0, 1, 0)
	}
	return posts, "", time.Time{}
}

// hold keeps an account from being read until a time.
func (r *Reader) hold(accountID string, until time.Time, reason schedctl.ResultsReason) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.accounts[accountID]
	if until.After(w.until) {
		w.until, w.reason = until, reason
	}
	r.accounts[accountID] = w
}

// succeeded forgets the failures of an account.
func (r *Reader) succeeded(accountID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.accounts[accountID]
	w.failures, w.verified = 0, false
	r.accounts[accountID] = w
}

// pause returns how long to wait after another failed reading of an account.
func (r *Reader) pause(accountID string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.accounts[accountID]
	w.failures++
	r.accounts[accountID] = w
	return min(firstPause<<min(w.failures-1, 10), lastPause)
}

// firstDoubt reports whether the network was not asked about the credentials of an account
// since the last success. The next call returns false.
func (r *Reader) firstDoubt(accountID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.accounts[accountID]
	was := w.verified
	w.verified = true
	r.accounts[accountID] = w
	return !was
}
