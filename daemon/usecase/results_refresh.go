package usecase

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// resultsAskedAgain is how far two requests to read an account are apart at least.
const resultsAskedAgain = time.Minute

// maxReported is the largest number that a client may report.
const maxReported = 1_000_000_000_000_000

// RefreshResults lets the published targets of the post of a request be read as soon as their
// accounts have nothing else to do: those with the ids, or all. A removed one can be found again.
// Errors: NOT_FOUND, VALIDATION_FAILED, RESULTS_UNAVAILABLE, RATE_LIMITED.
func (s *Service) RefreshResults(c *Request, tx storage.Tx, ids []string) (apiv1.ResultsRefresh, error) {
	p, list, err := s.publishedOfPost(tx, c)
	if err != nil {
		return apiv1.ResultsRefresh{}, err
	}
	for _, id := range ids {
		if err := checkTargetOf(&p, "target_ids", id); err != nil {
			return apiv1.ResultsRefresh{}, err
		}
	}
	done := apiv1.ResultsRefresh{PostID: p.ID, TargetIDs: []string{}}
	asked := map[string][]*resultsOf{}
	reason := "no target of the post is published"
	for i := range list {
		of := &list[i]
		if len(ids) > 0 && !slices.Contains(ids, of.target.ID) {
			continue
		}
		if why := s.notReadable(of, c.Now); why != "" {
			reason = why
			continue
		}
		asked[of.account.ID] = append(asked[of.account.ID], of)
		done.TargetIDs = append(done.TargetIDs, of.target.ID)
	}
	if len(asked) == 0 {
		return done, schedctl.Errorf(schedctl.ResultsUnavailable, "", "nothing can be read: %s", reason)
	}
	var cost int64
	for _, targets := range asked {
		most, err := s.askForResults(c, tx, targets)
		if err != nil {
			return done, err
		}
		cost += most
	}
	done.CostUSDAtMost = math.Round(float64(cost)) / 1e6
	return done, nil
}

// checkTargetOf checks the id of a target in a body. Errors: VALIDATION_FAILED, NOT_FOUND.
func checkTargetOf(p *schedctl.Post, field, id string) error {
	if _, ok := schedctl.ParseID(schedctl.TargetPrefix, id); !ok {
		return schedctl.Errorf(schedctl.ValidationFailed, field, "%s is not the id of a target", field)
	}
	if p.Target(id) == nil {
		return schedctl.Errorf(schedctl.NotFound, field, "the post has no target with this id")
	}
	return nil
}

// notReadable says why a target cannot be read even if someone asks for it, or nothing.
func (s *Service) notReadable(of *resultsOf, now time.Time) string {
	existing := *of
	existing.results.RemovedAt = time.Time{}
	state := s.resultsState(&existing, now)
	switch state.reason {
	case schedctl.ResultsUnsupported, schedctl.ResultsOff, schedctl.ResultsDisconnected:
		return state.label
	}
	rules, ok := s.resultsRules(of.account)
	switch {
	case !ok:
		return state.label
	case of.target.PlatformPostID == "":
		return "The network did not say which post it is."
	case rules.Window > 0 && now.Sub(of.target.PublishedAt) > rules.Window:
		return "The network no longer reports posts of this age."
	}
	return ""
}

// askForResults lets the targets of one account be read, and returns what that may cost, in
// millionths of a US dollar. Errors: RATE_LIMITED.
func (s *Service) askForResults(c *Request, tx storage.Tx, targets []*resultsOf) (cost int64, err error) {
	a := targets[0].account
	if rest := resultsAskedAgain - c.Now.Sub(a.ResultsAskedAt); rest > 0 && rest < 2*resultsAskedAgain { // else the clock was set back
		return 0, schedctl.Errorf(schedctl.RateLimited, "", "results of account %q were asked for less than a minute ago; repeat the request in %d s", a.Name, int(rest.Seconds())+1)
	}
	a.ResultsAskedAt = schedctl.Millis(c.Now)
	err = tx.PutAccount(*a)
	for _, of := range targets {
		v := of.results
		if v.TargetID == "" {
			v = newResults(of)
		}
		v.Ask(c.Now)
		err = errors.Join(err, tx.PutResults(v))
	}
	rules, _ := s.resultsRules(a)
	return rules.MostCost(len(targets)), err
}

// readRules returns the rules by which a target is read. ok is false if it is not read.
func (s *Service) readRules(of *resultsOf) (rules publish.ResultsRules, ok bool) {
	if of.account == nil {
		return rules, false
	}
	rules, ok = s.resultsRules(of.account)
	return rules, ok && rules.Refused == "" && rules.Wanted(of.account)
}

// newResults returns the results of a target that has none yet.
func newResults(of *resultsOf) schedctl.Results {
	return schedctl.Results{
		TargetID: of.target.ID, WorkspaceID: of.post.WorkspaceID, PostID: of.post.ID, AccountID: of.target.AccountID, PublishedAt: of.target.PublishedAt,
	}
}

// ResultsReport are numbers that a client gives.
type ResultsReport struct {
	TargetID string
	Metrics  schedctl.Metrics
	At       time.Time // zero for now
}

// ReportResults stores numbers of a target of the post of a request, which count where the
// network gives none. Errors: NOT_FOUND, VALIDATION_FAILED, RESULTS_UNAVAILABLE.
func (s *Service) ReportResults(c *Request, tx storage.Tx, report ResultsReport) (apiv1.PostResults, error) {
	p, list, err := s.publishedOfPost(tx, c)
	if err != nil {
		return apiv1.PostResults{}, err
	}
	if err := checkTargetOf(&p, "target_id", report.TargetID); err != nil {
		return apiv1.PostResults{}, err
	}
	if err := report.check(c.Now); err != nil {
		return apiv1.PostResults{}, err
	}
	i := slices.IndexFunc(list, func(of resultsOf) bool { return of.target.ID == report.TargetID })
	if i < 0 {
		return apiv1.PostResults{}, schedctl.Errorf(schedctl.ResultsUnavailable, "target_id", "the target is not published")
	}
	v := list[i].results
	if v.TargetID == "" {
		v = newResults(&list[i])
		if rules, ok := s.readRules(&list[i]); ok {
			v.NextAt = rules.Next(v.PublishedAt, c.Now)
		}
	}
	v.Report(schedctl.Millis(report.At), report.Metrics)
	if err := tx.PutResults(v); err != nil {
		return apiv1.PostResults{}, err
	}
	return s.PostResults(tx, c)
}

// check checks the numbers, and sets their time if it is missing.
func (r *ResultsReport) check(now time.Time) error {
	if !r.Metrics.Given() {
		return schedctl.Errorf(schedctl.ValidationFailed, "metrics", "metrics has no number; give at least one, such as clicks")
	}
	for _, n := range r.Metrics.Named() {
		if *n.Value != nil && (**n.Value < 0 || **n.Value > maxReported) {
			return schedctl.Errorf(schedctl.ValidationFailed, "metrics."+n.Name, "%s must be from 0 to %d", n.Name, int64(maxReported))
		}
	}
	if r.At.IsZero() {
		r.At = now
	}
	if r.At.After(now.Add(time.Minute)) {
		return schedctl.Errorf(schedctl.ValidationFailed, "at", "at is in the future; leave it out for now")
	}
	return nil
}
