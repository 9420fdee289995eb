package usecase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
)

// due is a post, or an occurrence of a series that is not a post yet, at its time.
type due struct {
	at       time.Time
	postID   string // empty for an occurrence
	seriesID string // of an occurrence; empty for a post
}

// removedAccount adds that the account of a target is disconnected, or unknown if a is nil.
func (f *forecast) removedAccount(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) {
	f.accountRemoved(t.AccountID, a, due{at: p.PublishAt, postID: p.ID})
	if e := f.found[removedKey(t.AccountID)]; e.partly == nil && len(f.leftAccounts(p)) > 0 {
		e.partly = p
	}
}

// leftAccounts returns the accounts that still get a post and that are not disconnected.
func (f *forecast) leftAccounts(p *schedctl.Post) (left []*schedctl.Account) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Status != schedctl.Scheduled && t.Status != schedctl.Publishing {
			continue
		}
		if a := f.accounts[t.AccountID]; a != nil && a.Status != schedctl.AccountDisconnected {
			left = append(left, a)
		}
	}
	return left
}

func removedKey(accountID string) causeKey {
	return causeKey{apiv1.ForecastAccountRemoved, accountID, ""}
}

// accountRemoved adds that the account with an id is disconnected. a is nil if the account is
// unknown.
func (f *forecast) accountRemoved(id string, a *schedctl.Account, d due) {
	f.add(removedKey(id), d.at, id, d.postID, func(e *finding) (string, string) {
		advice, command := "give the posts another account, or cancel them", "schedctl series show "+d.seriesID
		switch {
		case e.partly != nil:
			advice, command = "give the posts other accounts", f.withoutRemoved(e.partly)
		case len(e.posts) > 0:
			command = "schedctl post cancel " + strings.Join(e.posts[:min(len(e.posts), maxShifted)], " ")
		}
		if a == nil {
			return fmt.Sprintf("the account %s does not exist, so nothing is published on it; %s", id, advice), command
		}
		if f.service.hasCredentials(a) {
			advice, command = "connect it again, or give the posts another account", "schedctl account reconnect "+accountRef(a)
		}
		return fmt.Sprintf("the account %s is disconnected, so nothing is published on it; %s", accountName(a), advice), command
	})
}

// withoutRemoved returns the command that leaves a post on the accounts that are not
// disconnected, or that shows the post: if it is published in part, and if the command would
// be too long, or would name accounts to keys that may not see them.
func (f *forecast) withoutRemoved(p *schedctl.Post) string {
	left := f.leftAccounts(p)
	if f.shared || len(left) > maxShifted || p.Status() != schedctl.Scheduled {
		return "schedctl post show " + p.ID
	}
	command := "schedctl post edit " + p.ID
	for _, a := range left {
		command += " --to " + accountRef(a)
	}
	return command
}

// hasCredentials reports whether the account can be connected again with new credentials.
func (s *Service) hasCredentials(a *schedctl.Account) bool {
	p, ok := s.Publishers[a.Platform]
	return !ok || slices.ContainsFunc(p.Fields(), func(f publish.Field) bool { return !f.Option })
}

// checkAccount checks the account of a target that is due at a time: whether its network
// refuses it, whether it waits, and whether its credentials end before.
func (f *forecast) checkAccount(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account, at time.Time) {
	now, d := f.request.Now, due{at: p.PublishAt, postID: p.ID}
	waits := accountWaits(a, now)
	switch {
	case a.Status == schedctl.AccountError && waits == nil:
		f.accountRefused(a, d)
	case waits != nil && waits.Until.Sub(t.LateSince()) > forecastDelay:
		late := f.service.missesPause(a, t, now)
		key := causeKey{apiv1.ForecastAccountWaits, a.ID, waits.Reason}
		if late {
			key.detail += " missed"
		}
		f.add(key, d.at, a.ID, d.postID, func(*finding) (string, string) {
			return fmt.Sprintf("the account %s waits until %s: %s; %s", accountName(a), waits.Until, waits.Message, whenLate(late)), "schedctl account verify " + accountRef(a)
		})
	}
	if endsBefore(a, at, now) && a.Status == schedctl.AccountConnected {
		f.tokenEnds(a, d)
	}
}

// checkWarnings checks whether a warning about a connected account means that a post with a
// number of files fails.
func (f *forecast) checkWarnings(a *schedctl.Account, files int, d due) {
	for _, warning := range f.service.preventing(a, files) {
		f.add(causeKey{apiv1.ForecastAccountWarning, a.ID, warning}, d.at, a.ID, d.postID, func(*finding) (string, string) {
			return fmt.Sprintf("the account %s cannot publish it: %s", accountName(a), Clip(warning, maxMessage)), "schedctl account reconnect " + accountRef(a)
		})
	}
}

// preventing returns the warnings about a connected account with which posts with a number of
// files fail.
func (s *Service) preventing(a *schedctl.Account, files int) (list []string) {
	p, ok := s.Publishers[a.Platform].(publish.AccountWarner)
	if !ok || a.Status != schedctl.AccountConnected {
		return nil
	}
	for _, warning := range a.Warnings {
		if p.Prevents(warning, files) {
			list = append(list, warning)
		}
	}
	return list
}

// mostFiles returns how many files the part of a target with the most files has, among the
// parts that are not published yet.
func mostFiles(p *schedctl.Post, t *schedctl.Target) (most int) {
	for i := len(t.Done); i < p.PartCount(t); i++ {
		most = max(most, len(p.PartFor(t, i).Media))
	}
	return most
}

// accountRefused adds that the network refuses an account.
func (f *forecast) accountRefused(a *schedctl.Account, d due) {
	f.add(causeKey{apiv1.ForecastAccountError, a.ID, ""}, d.at, a.ID, d.postID, func(*finding) (string, string) { return refusedAccount(a) })
}

// tokenEnds adds that the credentials of an account end before a post.
func (f *forecast) tokenEnds(a *schedctl.Account, d due) {
	f.add(causeKey{apiv1.ForecastTokenEnds, a.ID, timeText(a.Expiry.At)}, d.at, a.ID, d.postID, func(*finding) (string, string) {
		about := ""
		if a.Expiry.Assumed {
			about = "about "
		}
		return fmt.Sprintf("the credentials of the account %s end %son %s, before it gets a post; get new ones and reconnect it", accountName(a), about, timeText(a.Expiry.At)),
			"schedctl account reconnect " + accountRef(a)
	})
}

// whenLate says what becomes of a post that its account delays.
func whenLate(missed bool) string {
	if missed {
		return "the post is then later than --max-lateness allows, and is not published"
	}
	return "the post is published late"
}

// refusedAccount returns the message and the command for an account that its network refuses.
func refusedAccount(a *schedctl.Account) (message, command string) {
	ref, why, verb := accountRef(a), "no reason is known", "verify"
	if e := a.Error; e != nil {
		why = strings.ReplaceAll(Clip(e.Message, maxMessage), "ACCOUNT", ref)
		if e.Kind == schedctl.KindAuth && publish.HoldCode(e.Code).EndsCredentials() {
			verb = "reconnect"
		}
	}
	return fmt.Sprintf("the network refuses the account %s, and its posts wait: %s", accountName(a), why), "schedctl account " + verb + " " + ref
}

// checkHolds checks whether a target falls in a pause of its account, or in a period in which
// the account is to publish nothing.
func (f *forecast) checkHolds(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account, at time.Time) error {
	labels := p.Labels
	if t.Begun() {
		labels = nil // what has begun is finished
	}
	if hold, held := holdAt(a, labels, at); held && (hold.To.IsZero() || hold.To.Sub(at) > forecastDelay) {
		period, err := f.period(hold)
		if err != nil {
			return err
		}
		late := p.Slot == (schedctl.Slot{}) && !hold.To.IsZero() && hold.To.Sub(t.LateSince()) > f.service.MaxLateness
		key := causeKey{apiv1.ForecastPaused, hold.ID, ""}
		if late {
			key.detail = "missed"
		}
		f.add(key, p.PublishAt, a.ID, p.ID, func(e *finding) (string, string) {
			what, effect := f.names(e)+" is paused", "nothing is published on it"
			if hold.Label != "" {
				what, effect = fmt.Sprintf("posts with the label %q are paused", hold.Label), "none is published"
			}
			if hold.To.IsZero() {
				return fmt.Sprintf("%s%s, and %s until it is resumed", what, period.reason, effect), f.resume(period, e)
			}
			return fmt.Sprintf("%s%s until %s; %s", what, period.reason, timeText(hold.To), whenLate(late)), f.resume(period, e)
		})
		return nil // a blackout at the time of the post decides nothing while it is held
	}
	avoided, found := a.AvoidedAt(at)
	if !found || !at.Equal(p.PublishAt) {
		return nil
	}
	period, err := f.period(avoided)
	if err != nil {
		return err
	}
	f.add(causeKey{apiv1.ForecastBlackout, avoided.ID, ""}, p.PublishAt, a.ID, p.ID, func(e *finding) (string, string) {
		return fmt.Sprintf("it is in a blackout of %s%s, from %s to %s, and is published nevertheless", f.names(e), period.reason, timeText(avoided.From), timeText(avoided.To)),
			f.moveOut(e, avoided)
	})
	return nil
}

// period is what a forecast says about a blackout.
type period struct {
	id     string // empty if the key of the request may not see the blackout
	label  string // of the posts that it is about, or empty
	all    bool   // it is about all accounts
	begun  bool
	reason string // in parentheses after a space, or empty
}

// period reads what the key of the request may know about a blackout.
func (f *forecast) period(b schedctl.AccountBlackout) (period, error) {
	if known, ok := f.periods[b.ID]; ok {
		return known, nil
	}
	is := period{label: b.Label, begun: !b.From.After(f.request.Now)}
	whole, err := f.request.Blackout(f.r, b.ID)
	switch {
	case err == nil:
		is.id, is.all = whole.ID, len(whole.AccountIDs) == 0
		if whole.Reason != "" && !(f.shared && len(whole.AccountIDs) > 1) {
			is.reason = fmt.Sprintf(" (%s)", whole.Reason)
		}
	case schedctl.CodeOf(err) != schedctl.NotFound:
		return period{}, err
	}
	f.periods[b.ID] = is
	return is, nil
}

// resume returns the command that ends a hold.
func (f *forecast) resume(is period, e *finding) string {
	switch {
	case is.id != "" && (!is.begun || !isShellWord(is.label)):
		return "schedctl blackout remove " + is.id
	case !isShellWord(is.label):
		return "schedctl blackout list"
	}
	command := "schedctl resume"
	if is.label != "" {
		command += " --label " + is.label
	}
	switch {
	case is.all:
		return command
	case f.shared && len(e.accounts) > 1:
		return "schedctl forecast" // names the others to keys that may see them
	}
	for _, id := range e.accounts {
		command += " --account " + accountRef(f.accounts[id])
	}
	return command
}

// maxShifted is how many posts, or accounts, a command names.
const maxShifted = 20

// moveOut returns the command that moves posts to the end of a blackout, with the same
// distances.
func (f *forecast) moveOut(e *finding, b schedctl.AccountBlackout) string {
	if len(e.posts) == 1 {
		return fmt.Sprintf("schedctl post edit %s --at %s", e.posts[0], timeText(b.To))
	}
	minutes := int((b.To.Sub(e.at) + time.Minute - 1) / time.Minute)
	return fmt.Sprintf("schedctl post schedule %s --shift %dh%dm", strings.Join(e.posts[:min(len(e.posts), maxShifted)], " "), minutes/60, minutes%60)
}

// names returns the accounts of a finding for a message: the name of one, or how many.
func (f *forecast) names(e *finding) string {
	if len(e.accounts) == 1 {
		return "the account " + accountName(f.accounts[e.accounts[0]])
	}
	return fmt.Sprintf("each of %d accounts", len(e.accounts))
}
