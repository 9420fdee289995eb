package usecase

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// resultsOf is a published target with its account and its results, which may have no reading.
type resultsOf struct {
	published storage.PublishedTarget // set in lists
	post      *schedctl.Post
	target    *schedctl.Target
	account   *schedctl.Account // nil if it is not known
	results   schedctl.Results
}

// publishedOf returns the published targets of a post that the key may see.
func publishedOf(r storage.Reader, c *Request, p *schedctl.Post, accounts map[string]*schedctl.Account) ([]resultsOf, error) {
	var ids []string
	for i := range p.Targets {
		if t := &p.Targets[i]; t.Status == schedctl.Published && c.MayUse(t.AccountID) {
			ids = append(ids, t.ID)
		}
	}
	known, err := resultsByTarget(r, p.WorkspaceID, ids)
	list := make([]resultsOf, len(ids))
	for i, id := range ids {
		t := p.Target(id)
		list[i] = resultsOf{post: p, target: t, account: accounts[t.AccountID], results: known[id]}
	}
	return list, err
}

// resultsByTarget reads results, a limited number at once.
func resultsByTarget(r storage.Reader, workspaceID string, ids []string) (map[string]schedctl.Results, error) {
	const most = 500
	known := make(map[string]schedctl.Results, len(ids))
	for len(ids) > 0 {
		n := min(len(ids), most)
		list, err := r.Results(workspaceID, ids[:n])
		if err != nil {
			return nil, err
		}
		for i := range list {
			known[list[i].TargetID] = list[i]
		}
		ids = ids[n:]
	}
	return known, nil
}

// accountsByID returns the accounts of the workspace of a request.
func accountsByID(r storage.Reader, c *Request) (map[string]*schedctl.Account, error) {
	list, err := r.Accounts(c.Key.WorkspaceID)
	byID := make(map[string]*schedctl.Account, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	return byID, err
}

// PostResults returns what became of the post of a request. Errors: NOT_FOUND.
func (s *Service) PostResults(r storage.Reader, c *Request) (apiv1.PostResults, error) {
	p, list, err := s.publishedOfPost(r, c)
	if err != nil {
		return apiv1.PostResults{}, err
	}
	found := apiv1.PostResults{PostID: p.ID, PostVersion: p.Version, Totals: totalsOf(list), Targets: make([]apiv1.TargetResults, len(list))}
	for i := range list {
		found.Targets[i] = s.targetResults(&list[i], c.Now)
	}
	return found, nil
}

func (s *Service) publishedOfPost(r storage.Reader, c *Request) (p schedctl.Post, list []resultsOf, err error) {
	if p, err = c.Post(r); err != nil {
		return p, nil, err
	}
	accounts, err := accountsByID(r, c)
	if err != nil {
		return p, nil, err
	}
	list, err = publishedOf(r, c, &p, accounts)
	return p, list, err
}

func (s *Service) targetResults(of *resultsOf, now time.Time) apiv1.TargetResults {
	v, state := &of.results, s.resultsState(of, now)
	m := v.Known()
	t := apiv1.TargetResults{
		TargetID: of.target.ID, SocialAccountID: of.target.AccountID, Platform: of.target.Platform, Status: state.status, StatusLabel: state.label, Reason: state.wireReason(),
		Metrics: apiv1.NewMetrics(m), Engagements: m.Engagements(), EngagementRate: m.EngagementRate(),
		PublishedAt: apiv1.NewTime(of.target.PublishedAt), LastRefreshAt: apiv1.NewTime(v.ReadAt), NextRefreshAt: apiv1.NewTime(v.NextAt), RemovedAt: apiv1.NewTime(v.RemovedAt),
		Estimated: v.Estimated, Parts: make([]apiv1.PartResults, len(v.Parts)), Points: make([]apiv1.ResultPoint, len(v.Points)),
	}
	for i, p := range v.Parts {
		t.Parts[i] = apiv1.PartResults{Index: p.Index, PlatformPostID: p.ID, Metrics: apiv1.NewMetrics(p.Metrics)}
	}
	if !v.ReportedAt.IsZero() {
		t.Reported = &apiv1.ReportedResults{At: apiv1.NewTime(v.ReportedAt), Metrics: apiv1.NewMetrics(v.Reported)}
	}
	for i, p := range v.Points {
		t.Points[i] = apiv1.ResultPoint{At: apiv1.NewTime(p.At), AgeSeconds: int64(p.At.Sub(of.target.PublishedAt).Seconds()), Metrics: apiv1.NewMetrics(p.Metrics)}
	}
	return t
}

// totalsOf returns the sums of targets. The rate is that of the targets that give both numbers.
func totalsOf(list []resultsOf) (t apiv1.ResultsTotals) {
	var views, engagements *int64
	count := func(n *int, value *int64) {
		if value != nil {
			*n++
		}
	}
	for i := range list {
		m := list[i].results.Known()
		e := m.Engagements()
		t.Views, t.Clicks, t.Engagements = schedctl.AddGiven(t.Views, m.Views), schedctl.AddGiven(t.Clicks, m.Clicks), schedctl.AddGiven(t.Engagements, e)
		count(&t.Known.Views, m.Views)
		count(&t.Known.Clicks, m.Clicks)
		count(&t.Known.Engagements, e)
		if m.Views != nil && e != nil {
			views, engagements = schedctl.AddGiven(views, m.Views), schedctl.AddGiven(engagements, e)
		}
	}
	t.EngagementRate = schedctl.Rate(engagements, views)
	return t
}

// resultsState says how current the results of a target are.
type resultsState struct {
	status apiv1.ResultsStatus
	label  string
	reason schedctl.ResultsReason
}

func (s resultsState) wireReason() *schedctl.ResultsReason {
	if s.reason == "" {
		return nil
	}
	return &s.reason
}

// overdueResults is how late a reading must be before its results are delayed.
const overdueResults = time.Hour

// resultsState returns the first state that applies, in the order of importance.
func (s *Service) resultsState(of *resultsOf, now time.Time) resultsState {
	v := &of.results
	_, reads := s.Publishers[of.target.Platform].(publish.ResultsReader)
	account := of.account
	if account == nil {
		account = &schedctl.Account{Platform: of.target.Platform, Status: schedctl.AccountDisconnected}
	}
	rules, _ := s.resultsRules(account)
	mode := account.ResultsSetting().Mode
	unavailable := func(reason schedctl.ResultsReason, label string) resultsState {
		return resultsState{apiv1.ResultsUnavailable, label, reason}
	}
	switch {
	case !v.RemovedAt.IsZero():
		return unavailable(schedctl.ResultsRemoved, "The network no longer has this post.")
	case !reads:
		return unavailable(schedctl.ResultsUnsupported, publish.NoResults(s.Publishers[of.target.Platform]))
	case rules.Refused != "":
		return unavailable(schedctl.ResultsUnsupported, rules.Refused)
	case s.NoResults:
		return unavailable(schedctl.ResultsOff, "The daemon does not read results.")
	case mode == schedctl.ResultsNever:
		return unavailable(schedctl.ResultsOff, "The option results of the account is off.")
	case !rules.Wanted(account):
		return unavailable(schedctl.ResultsOff, "The network charges for reading numbers, so they are read only with the option results=on.")
	case v.TargetID == "" && rules.Next(of.target.PublishedAt, now).IsZero():
		return unavailable(schedctl.ResultsTooOld, "The post was published too long ago.")
	case rules.Window > 0 && now.Sub(of.target.PublishedAt) > rules.Window && v.ReadAt.IsZero():
		return unavailable(schedctl.ResultsTooOld, "The network no longer reports posts of this age.")
	case v.Reason == schedctl.ResultsMissingScope && mode != schedctl.ResultsAlways:
		return unavailable(schedctl.ResultsMissingScope, lacksScope(rules))
	case account.Status != schedctl.AccountConnected:
		return resultsState{apiv1.ResultsReconnectRequired, "The account is not connected; reconnect it.", schedctl.ResultsDisconnected}
	case v.Reason == schedctl.ResultsMissingScope:
		return resultsState{apiv1.ResultsReconnectRequired, lacksScope(rules), v.Reason}
	case v.Reason == schedctl.ResultsRefused:
		return resultsState{apiv1.ResultsFailed, "The network did not report this post at the last reading.", v.Reason}
	case v.TargetID != "" && v.ReadAt.IsZero() && v.NextAt.IsZero():
		return unavailable(schedctl.ResultsTooOld, "The post was published too long ago.")
	case v.ReadAt.IsZero():
		return resultsState{apiv1.ResultsCollecting, "The post has not been read yet.", schedctl.ResultsPending}
	}
	return readState(v, rules, now)
}

func lacksScope(rules publish.ResultsRules) string {
	return fmt.Sprintf("The token of the account lacks the permission %s; reconnect it to read numbers.", rules.Scope)
}

// readState returns the state of a target that was read.
func readState(v *schedctl.Results, rules publish.ResultsRules, now time.Time) resultsState {
	expected := rules.Next(v.PublishedAt, v.ReadAt)
	switch {
	case v.NextAt.IsZero():
		return resultsState{apiv1.ResultsReady, "All readings are done.", schedctl.ResultsComplete}
	case now.Sub(expected) <= overdueResults:
		return resultsState{apiv1.ResultsReady, "The numbers are current.", ""}
	case v.Reason == schedctl.ResultsRateLimited:
		return resultsState{apiv1.ResultsDelayed, "The network asked for fewer requests.", v.Reason}
	case v.Reason == schedctl.ResultsBudget && v.NextAt.Sub(now) > time.Hour:
		return resultsState{apiv1.ResultsDelayed, "The budget of the account for this month is used up.", v.Reason}
	case v.Reason == schedctl.ResultsBudget:
		return resultsState{apiv1.ResultsDelayed, "The account has had its requests of this hour.", v.Reason}
	}
	return resultsState{apiv1.ResultsDelayed, "The network did not respond, or the account is busy.", schedctl.ResultsUnreachable}
}

// maxPreview is how many characters of a text a preview has.
const maxPreview = 140

// preview returns the start of a text in one line, or what a post without a text shows.
func preview(r storage.Reader, p *schedctl.Post, text string, files []schedctl.PostMedia) (string, error) {
	line := strings.Join(strings.Fields(text), " ")
	if line == "" {
		line = p.Title
	}
	if line == "" {
		return shownFiles(r, p.WorkspaceID, files)
	}
	if runes := []rune(line); len(runes) > maxPreview {
		return strings.TrimRight(string(runes[:maxPreview-1]), " ") + "…", nil
	}
	return line, nil
}

// shownFiles describes files, such as "(1 picture)". Files of several classes, and those that no
// longer exist, are files.
func shownFiles(r storage.Reader, workspaceID string, files []schedctl.PostMedia) (string, error) {
	class, err := classOf(r, workspaceID, files)
	if err != nil {
		return "", err
	}
	noun := map[schedctl.MediaClass]string{
		schedctl.MediaImage: "picture", schedctl.MediaGIF: "GIF", schedctl.MediaVideo: "video", schedctl.MediaDocument: "document",
	}[class]
	if noun == "" {
		noun = "file"
	}
	if len(files) != 1 {
		noun += "s"
	}
	return fmt.Sprintf("(%d %s)", len(files), noun), nil
}

// classOf returns the class that all of some files have, or "".
func classOf(r storage.Reader, workspaceID string, files []schedctl.PostMedia) (class schedctl.MediaClass, err error) {
	for i, f := range files {
		a, err := r.MediaAsset(workspaceID, f.AssetID)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return "", err
		}
		if err != nil || i > 0 && a.Class() != class {
			return "", nil
		}
		class = a.Class()
	}
	return class, nil
}
