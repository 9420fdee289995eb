package usecase

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// resultsRules returns the rules of the network of an account. ok is false if nothing reads
// its results.
func (s *Service) resultsRules(a *schedctl.Account) (rules publish.ResultsRules, ok bool) {
	reader, ok := s.Publishers[a.Platform].(publish.ResultsReader)
	if ok {
		rules = reader.ResultsRules(*a)
	}
	return rules, ok
}

// readings returns the records of readings of accounts that have any, by account.
func (s *Service) readings(r storage.Reader, c *Request, accounts []schedctl.Account) (map[string]*schedctl.AccountResults, error) {
	found := map[string]*schedctl.AccountResults{}
	if len(accounts) == 1 {
		v, err := r.AccountResults(accounts[0].WorkspaceID, accounts[0].ID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return found, nil
		}
		found[v.AccountID] = &v
		return found, err
	}
	list, err := r.AccountResultsList(c.Key.WorkspaceID)
	for i := range list {
		found[list[i].AccountID] = &list[i]
	}
	return found, err
}

// accountResults says whether the results of an account are read. log is nil if there was no
// reading.
func (s *Service) accountResults(a *schedctl.Account, log *schedctl.AccountResults, now time.Time) apiv1.AccountResults {
	rules, reads := s.resultsRules(a)
	wire := apiv1.AccountResults{Metrics: append([]string{}, rules.Metrics...), DroppedMetrics: []string{}, MissingScopes: []string{}}
	if log != nil {
		wire.LastReadAt = apiv1.NewTime(log.ReadAt)
		wire.RequestsLastDay = log.RequestsSince(now.Add(-24 * time.Hour))
		wire.CostUSDMonth = float64(log.SpentIn(now)) / 1e6
		wire.DroppedMetrics = append(wire.DroppedMetrics, log.DroppedAt(now)...)
		wire.MissingScopes = append(wire.MissingScopes, log.Lacks...)
	} else {
		log = new(schedctl.AccountResults)
	}
	var reason schedctl.ResultsReason
	wire.State, reason = s.accountResultsState(a, log, &rules, reads)
	if wire.State == apiv1.AccountResultsOff { // nothing is missing for what is not read
		wire.MissingScopes = []string{}
	}
	if reason == schedctl.ResultsMissingScope && len(wire.MissingScopes) == 0 && rules.Scope != "" {
		wire.MissingScopes = []string{rules.Scope}
	}
	if reason != "" {
		wire.Reason = &reason
	}
	return wire
}

func (s *Service) accountResultsState(a *schedctl.Account, log *schedctl.AccountResults, rules *publish.ResultsRules, reads bool) (string, schedctl.ResultsReason) {
	switch {
	case !reads || rules.Refused != "":
		return apiv1.AccountResultsUnavailable, schedctl.ResultsUnsupported
	case s.NoResults || !rules.Wanted(a):
		return apiv1.AccountResultsOff, schedctl.ResultsOff
	case a.Status != schedctl.AccountConnected:
		return apiv1.AccountResultsReconnectRequired, schedctl.ResultsDisconnected
	case log.Reason == schedctl.ResultsMissingScope && a.ResultsSetting().Mode == schedctl.ResultsAlways:
		return apiv1.AccountResultsReconnectRequired, log.Reason
	case log.Reason == schedctl.ResultsMissingScope:
		return apiv1.AccountResultsUnavailable, log.Reason
	case log.Reason == schedctl.ResultsBudget || log.Reason == schedctl.ResultsRateLimited || log.Reason == schedctl.ResultsUnreachable:
		return apiv1.AccountResultsDelayed, log.Reason
	}
	return apiv1.AccountResultsOn, log.Reason
}
