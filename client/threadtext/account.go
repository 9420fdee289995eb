package threadtext

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// LimitOf returns the limit of an account.
func LimitOf(a *apiv1.Account) Limit {
	l := Limit{Unit: a.Limits.Unit}
	if a.Limits.MaxCharacters != nil {
		l.Max = *a.Limits.MaxCharacters
	}
	if a.Limits.URLCharacters != nil {
		l.URLCharacters = *a.Limits.URLCharacters
	}
	return l
}

// LimitsOf returns the limits of some of the accounts by id, for [FitAll], and that of the
// daemon with an empty name.
func LimitsOf(accounts []apiv1.Account, ids []string) map[string]*Limit {
	limits := map[string]*Limit{"": {Max: schedctl.MaxContent}}
	for i := range accounts {
		if l := LimitOf(&accounts[i]); l.Max > 0 && slices.Contains(ids, accounts[i].ID) {
			limits[accounts[i].ID] = &l
		}
	}
	return limits
}
