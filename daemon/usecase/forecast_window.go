package usecase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/storage"
)

// clockStep is how much closer in time a clock change brings two occurrences of a series.
const clockStep = time.Hour

// maxForecastPast is how many posts that were published lately are read.
const maxForecastPast = 1000

// readPast reads what the accounts have published lately, as far as it counts for the
// windows of their networks and for repeated texts. If there is more, the forecast says so:
// it may lack entries about those two, at any time.
func (f *forecast) readPast() error {
	reach := sameTextWarning
	for _, a := range f.accounts {
		for _, rule := range f.windows(a) {
			reach = max(reach, rule.window)
		}
	}
	read := 0
	return f.eachRead(storage.PostQuery{
		WorkspaceID: f.request.Key.WorkspaceID, Statuses: []schedctl.Status{schedctl.Published, schedctl.Publishing, schedctl.Failed},
		PublishAfter: f.request.Now.Add(-reach), PublishBefore: f.request.Now, Sort: storage.PublishDescending, Limit: postPage,
	}, func(p *schedctl.Post) (bool, error) {
		if read++; read > maxForecastPast {
			f.cut = true
			return false, nil
		}
		for i := range p.Targets {
			if t := &p.Targets[i]; t.Status == schedctl.Published {
				f.keep(p, t, planned{at: p.PublishAt, seriesID: p.SeriesID, replies: p.PartCount(t) - 1, over: true})
			}
		}
		return true, nil
	})
}

// windows returns the limits of the network of an account that concern several posts.
func (f *forecast) windows(a *schedctl.Account) (rules []*windowRule) {
	for _, rule := range []*windowRule{postWindow(a), f.service.replyWindow(a)} {
		if rule != nil {
			rules = append(rules, rule)
		}
	}
	return rules
}

// keep keeps a post of an account for the checks of later ones, if the key of the request may
// use the account.
func (f *forecast) keep(p *schedctl.Post, t *schedctl.Target, is planned) {
	if !f.request.MayUse(t.AccountID) {
		return
	}
	if f.request.MaySee(p) {
		is.postID = p.ID
	}
	f.plans[t.AccountID] = append(f.plans[t.AccountID], is)
	if sent := (sentText{t.AccountID, p.Fingerprint(t)}); f.texts[sent].at.Before(is.at) {
		f.texts[sent] = is
	}
}

// keepHidden keeps a post that waits, and that the key of the request may not see because it
// is on other accounts, too.
func (f *forecast) keepHidden(p *schedctl.Post) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, waiting := t.Due(); waiting {
			f.keep(p, t, planned{at: p.PublishAt, seriesID: p.SeriesID, replies: p.PartCount(t) - 1 - len(t.Done)})
		}
	}
}

// plan keeps a target that waits. It adds an entry if the account gets the same text shortly
// before.
func (f *forecast) plan(p *schedctl.Post, t *schedctl.Target, a *schedctl.Account) {
	is := planned{at: p.PublishAt, seriesID: p.SeriesID, replies: p.PartCount(t) - 1 - len(t.Done)}
	sent := sentText{t.AccountID, p.Fingerprint(t)}
	before, known := f.texts[sent]
	within := max(sameTextWarning, duplicate.Guard(a))
	if p.SeriesID != "" && p.SeriesID == before.seriesID {
		within -= clockStep // of a daily series
	}
	f.keep(p, t, is)
	if !known || is.at.Sub(before.at) >= within || before.postID == p.ID {
		return
	}
	key := causeKey{apiv1.ForecastDuplicate, a.ID, string(sent.fingerprint[:])}
	say := func(e *finding) (string, string) {
		return fmt.Sprintf("the account %s gets the same text more than once less than %s apart; its network may refuse it, or treat it as spam", accountName(a), hours(within)),
			"schedctl post edit " + e.posts[len(e.posts)-1] + " --editor"
	}
	if f.found[key] == nil {
		f.add(key, is.at, a.ID, before.postID, say)
	}
	f.add(key, is.at, a.ID, p.ID, say)
}

// hours returns a duration of whole minutes for a message.
func hours(d time.Duration) string {
	if d%time.Hour != 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}

// checkWindows checks how many posts, and replies, the accounts have in the periods for which
// their networks have limits.
func (f *forecast) checkWindows() {
	for id, list := range f.plans {
		a := f.accounts[id]
		if a == nil {
			continue
		}
		slices.SortStableFunc(list, func(x, y planned) int { return cmp.Or(x.at.Compare(y.at), strings.Compare(x.postID, y.postID)) })
		for _, rule := range f.windows(a) {
			f.checkWindow(a, rule, list)
		}
	}
}

// checkWindow adds the planned posts for which the network of the account has no room at
// their times. list is in order of time.
func (f *forecast) checkWindow(a *schedctl.Account, rule *windowRule, list []planned) {
	count := func(is planned) int {
		if rule.noun == "replies" {
			return is.replies
		}
		return 1
	}
	used, first := 0, 0 // of those in the period that ends with a post, and the first of them
	for _, is := range list {
		for !list[first].at.After(is.at.Add(-rule.window)) {
			used -= count(list[first])
			first++
		}
		own := count(is)
		if used += own; used <= rule.limit || is.over || is.postID == "" || own == 0 {
			continue
		}
		room := list[first].at.Add(rule.window)
		f.add(causeKey{apiv1.ForecastRateLimit, a.ID, rule.noun}, is.at, a.ID, is.postID, func(e *finding) (string, string) {
			return fmt.Sprintf("the network of the account %s accepts %d %s in %s, and the account has as many before; the rest waits until there is room", accountName(a), rule.limit, rule.noun, hours(rule.window)),
				fmt.Sprintf("schedctl post edit %s --at %s", e.posts[0], timeText(room))
		})
	}
}
