package usecase

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// The limits of a forecast.
const (
	DefaultForecastDays = 21
	MaxForecastDays     = 366

	maxForecastPosts   = 2000    // scheduled posts that are read
	maxForecastTargets = 30_000  // of these posts
	maxForecastText    = 2 << 20 // bytes of the texts of these posts
	maxForecastSeries  = 2000    // that are read
	maxForecastEntries = 500
	maxForecastIDs     = 100 // posts that an entry names
)

// forecastDelay is how much later than its time a post must be published to be in a forecast.
const forecastDelay = time.Minute

// Forecast is what will make scheduled posts fail, or be late, if no one acts.
type Forecast struct {
	Entries   []ForecastEntry // in order of their times
	Until     time.Time       // posts before this time were checked
	Truncated bool            // something was not checked, or some entries are left out
}

// ForecastEntry is an entry of a forecast.
type ForecastEntry struct {
	apiv1.ForecastEntry

	// Cause identifies what is wrong. It stays the same while more posts are affected.
	Cause string

	SeriesID string // of an entry about occurrences that are not posts yet
	Platform string // of the account of the entry
}

// Reading calls a function with a snapshot.
type Reading func(context.Context, func(storage.Reader) error) error

// Forecast checks the posts that are planned before a time, and that the key of the request
// may see. Texts are checked after view has returned, so that no snapshot waits for that.
func (s *Service) Forecast(ctx context.Context, view Reading, c *Request, until time.Time) (Forecast, error) {
	return newForecast(s, c, until).run(ctx, view)
}

// SharedForecast is Forecast for all posts of a workspace. Each key may read the texts of an
// entry that may use the account of the entry, or all accounts of its first post.
func (s *Service) SharedForecast(ctx context.Context, view Reading, workspaceID string, now, until time.Time) (Forecast, error) {
	f := newForecast(s, &Request{Key: schedctl.APIKey{WorkspaceID: workspaceID}, Now: now}, until)
	f.shared = true
	return f.run(ctx, view)
}

func newForecast(s *Service, c *Request, until time.Time) *forecast {
	return &forecast{
		service: s, request: c, until: until,
		keys: map[string]*schedctl.APIKey{}, series: map[string]*schedctl.Series{}, periods: map[string]period{}, changes: map[string][]time.Time{}, zones: map[string]*time.Location{},
		plans: map[string][]planned{}, texts: map[sentText]planned{}, found: map[causeKey]*finding{}, files: lostFiles{known: map[blob.Key]bool{}},
	}
}

func (f *forecast) run(ctx context.Context, view Reading) (Forecast, error) {
	err := view(ctx, func(r storage.Reader) error {
		f.r = r
		return f.read(ctx)
	})
	if err != nil {
		return Forecast{}, err
	}
	for i := range f.unchecked {
		if err := f.checkText(ctx, &f.unchecked[i]); err != nil {
			return Forecast{}, err
		}
	}
	f.checkWindows()
	return f.result(), nil
}

// read reads what is planned, and checks all but the texts.
func (f *forecast) read(ctx context.Context) error {
	if err := f.readAccounts(); err != nil {
		return err
	}
	if err := f.readPast(); err != nil {
		return err
	}
	for _, check := range []func(context.Context) error{f.checkScheduled, f.checkProposed, f.checkSeries} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// forecast is a forecast that is being made.
type forecast struct {
	service *Service
	request *Request
	r       storage.Reader
	until   time.Time
	shared  bool // keys that are limited to accounts read it, too
	cut     bool // not all that counts until then was read

	accounts map[string]*schedctl.Account // of the workspace, by id

	// What was read, by id. The value is nil if it does not exist.
	keys    map[string]*schedctl.APIKey
	series  map[string]*schedctl.Series
	periods map[string]period      // of blackouts
	changes map[string][]time.Time // of clocks, by the name of the zone
	zones   map[string]*time.Location

	unchecked []uncheckedText
	files     lostFiles

	plans map[string][]planned // what accounts have published lately, and what is planned
	texts map[sentText]planned // the latest post with a text
	found map[causeKey]*finding
}

// planned is a post of an account at its time.
type planned struct {
	at       time.Time
	postID   string // empty if the key of the request may not see the post
	seriesID string // of an occurrence
	replies  int    // parts after the first one
	over     bool   // it is published
}

// sentText is a text that an account gets.
type sentText struct {
	accountID   string
	fingerprint schedctl.Fingerprint
}

// causeKey identifies what is wrong.
type causeKey struct {
	kind    apiv1.ForecastKind
	subject string // the id of the account, the post, the series, the blackout or the key
	detail  string
}

// finding is what is wrong for some posts.
type finding struct {
	at       time.Time
	posts    []string // at most maxForecastIDs
	count    int      // of all posts
	last     string   // the last post that was added
	accounts []string // distinct

	// partly is the first post that lost one of its accounts and waits for others.
	partly *schedctl.Post

	// say returns the message and the command. It is called when all posts are known.
	say func(*finding) (message, command string)
}

// add adds a post to what is wrong. accountID and postID may be empty. The targets of a post
// are added one after the other.
func (f *forecast) add(key causeKey, at time.Time, accountID, postID string, say func(*finding) (message, command string)) {
	e := f.found[key]
	if e == nil {
		e = &finding{at: at, say: say}
		f.found[key] = e
	}
	if at.Before(e.at) {
		e.at = at
	}
	if accountID != "" && !slices.Contains(e.accounts, accountID) {
		e.accounts = append(e.accounts, accountID)
	}
	if postID == "" || postID == e.last {
		return
	}
	e.last = postID
	if e.count++; len(e.posts) < maxForecastIDs {
		e.posts = append(e.posts, postID)
	}
}

// result returns the entries in order of their times.
func (f *forecast) result() Forecast {
	out := Forecast{Entries: make([]ForecastEntry, 0, len(f.found)), Until: f.until, Truncated: f.cut}
	for key, e := range f.found {
		entry := ForecastEntry{Cause: string(key.kind) + "\n" + key.subject + "\n" + key.detail}
		entry.Kind, entry.At, entry.PostIDs, entry.PostCount = key.kind, apiv1.NewTime(e.at), append([]string{}, e.posts...), e.count
		if strings.HasPrefix(key.subject, string(schedctl.SeriesPrefix)) {
			entry.SeriesID = key.subject
		}
		if len(e.accounts) == 1 {
			entry.SocialAccountID = &e.accounts[0]
			if a := f.accounts[e.accounts[0]]; a != nil {
				entry.Platform = a.Platform
			}
		}
		entry.Message, entry.Command = e.say(e)
		out.Entries = append(out.Entries, entry)
	}
	slices.SortFunc(out.Entries, func(a, b ForecastEntry) int {
		return cmp.Or(a.At.Compare(b.At.Time), strings.Compare(a.Cause, b.Cause))
	})
	if len(out.Entries) > maxForecastEntries {
		out.Entries, out.Truncated = out.Entries[:maxForecastEntries], true
	}
	return out
}

// readAccounts reads the accounts of the workspace, also disconnected ones.
func (f *forecast) readAccounts() error {
	list, err := f.r.Accounts(f.request.Key.WorkspaceID)
	f.accounts = make(map[string]*schedctl.Account, len(list))
	for i := range list {
		f.accounts[list[i].ID] = &list[i]
	}
	return err
}

// checkScheduled checks the posts that wait to be published, also those that are late.
func (f *forecast) checkScheduled(ctx context.Context) error {
	posts, targets, text := 0, 0, 0
	return f.eachRead(storage.PostQuery{
		WorkspaceID: f.request.Key.WorkspaceID, Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing},
		PublishBefore: f.until, Sort: storage.PublishAscending, Limit: postPage,
	}, func(p *schedctl.Post) (bool, error) {
		posts, targets, text = posts+1, targets+len(p.Targets), text+storage.TextBytes(p)
		if posts > maxForecastPosts || posts > 1 && (targets > maxForecastTargets || text > maxForecastText) {
			f.until, f.cut = p.PublishAt, true
			return false, nil
		}
		if !f.request.MaySee(p) {
			f.keepHidden(p)
			return true, ctx.Err()
		}
		return true, cmp.Or(f.checkPost(p), ctx.Err())
	})
}

// eachRead calls fn for the posts of a query, until fn returns false or an error.
func (f *forecast) eachRead(q storage.PostQuery, fn func(*schedctl.Post) (bool, error)) error {
	for {
		page, err := f.r.Posts(q)
		if err != nil {
			return err
		}
		for i := range page.Posts {
			if more, err := fn(&page.Posts[i]); err != nil || !more {
				return err
			}
		}
		if q.After = page.Next; q.After == nil {
			return nil
		}
	}
}

// checkPost checks a post that waits to be published.
func (f *forecast) checkPost(p *schedctl.Post) error {
	overrides := p.Overrides()
	d := f.service.Decide(f.request, nil)
	d.On(f.r)
	if err := d.readAssets(p); err != nil {
		return err
	}
	waits := false
	for i := range p.Targets {
		t := &p.Targets[i]
		at, waiting := t.Due()
		if !waiting {
			continue
		}
		waits = true
		a := f.accounts[t.AccountID]
		if a == nil || a.Status == schedctl.AccountDisconnected {
			f.removedAccount(p, t, a)
			continue
		}
		if now := f.request.Now; at.Before(now) {
			at = now
		}
		f.checkAccount(p, t, a, at)
		f.checkWarnings(a, mostFiles(p, t), due{at: p.PublishAt, postID: p.ID})
		if err := f.checkHolds(p, t, a, at); err != nil {
			return err
		}
		f.unchecked = append(f.unchecked, uncheckedText{decision: d, post: p, target: t, account: a, overrides: overrides})
		f.plan(p, t, a)
	}
	if !waits {
		return nil
	}
	f.checkApproval(p)
	if err := f.checkClocks(p); err != nil {
		return err
	}
	return f.checkKey(p)
}

// accountName returns what messages call an account.
func accountName(a *schedctl.Account) string { return a.Platform + ":" + a.Name }

// accountRef returns how a command names an account: by its name, or by its id if a shell
// may read the name in another way.
func accountRef(a *schedctl.Account) string {
	if name := accountName(a); isShellWord(name) && a.Status != schedctl.AccountDisconnected {
		return name
	}
	return a.ID
}

// isShellWord reports whether every shell reads a text as it is, without quotes. Texts of
// others must not become commands when a person copies one.
func isShellWord(text string) bool {
	return !strings.HasPrefix(text, "-") && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._@+-:", r)
	})
}

// timeText returns a time as messages and commands show it.
func timeText(at time.Time) string { return apiv1.Time{Time: at}.String() }
