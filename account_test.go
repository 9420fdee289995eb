package schedctl_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

func TestResolveAccounts(t *testing.T) {
	t.Parallel()
	known := map[string]schedctl.Account{
		"acct_a":    {ID: "acct_a", Status: schedctl.AccountConnected},
		"acct_b":    {ID: "acct_b", Status: schedctl.AccountConnected},
		"acct_gone": {ID: "acct_gone", Status: schedctl.AccountDisconnected},
		"acct_bad":  {ID: "acct_bad", Status: schedctl.AccountError},
	}
	lookup := func(id string) (schedctl.Account, bool) { a, ok := known[id]; return a, ok }
	tests := []struct {
		name   string
		ids    []string
		faults int // 0 for accepted
	}{
		{"none", nil, 0},
		{"two", []string{"acct_b", "acct_a"}, 0},
		{"unknown", []string{"acct_a", "acct_x"}, 1},
		{"repeated", []string{"acct_a", "acct_a"}, 1},
		{"disconnected and in error", []string{"acct_gone", "acct_bad", "acct_a"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schedctl.ResolveAccounts(tt.ids, lookup)
			if tt.faults == 0 {
				if err != nil || len(got) != len(tt.ids) {
					t.Fatalf("%d accounts, %v", len(got), err)
				}
				for i, a := range got {
					if a.ID != tt.ids[i] {
						t.Errorf("account %d is %s, want %s", i, a.ID, tt.ids[i])
					}
				}
				return
			}
			wantCode(t, err, schedctl.InvalidSocialAccounts)
			if e, ok := err.(*schedctl.Error); !ok || len(e.Details) != tt.faults {
				t.Errorf("details %+v, want %d", err, tt.faults)
			}
		})
	}
	_, err := schedctl.ResolveAccounts(make([]string, 101), lookup)
	wantCode(t, err, schedctl.InvalidSocialAccounts)
}

// The reason says what to do, which is not always to reconnect the account.
func TestResolveAccountsSaysWhyAnAccountIsRefused(t *testing.T) {
	t.Parallel()
	_, err := schedctl.ResolveAccounts([]string{"acct_1"}, func(id string) (schedctl.Account, bool) {
		return schedctl.Account{ID: id, Platform: "x", Name: "blog", Status: schedctl.AccountError, Error: &schedctl.TargetError{Message: "no credits are left; buy some"}}, true
	})
	wantCode(t, err, schedctl.InvalidSocialAccounts)
	if want := "INVALID_SOCIAL_ACCOUNTS: x:blog: is refused by its network: no credits are left; buy some"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestCheckAccountName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "my blog", "@me@example.org", strings.Repeat("é", 80)} {
		if err := schedctl.CheckAccountName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", strings.Repeat("é", 81), "a\nb", "a\x00", " a", "a ", "a\xff"} {
		wantCode(t, schedctl.CheckAccountName(name), schedctl.ValidationFailed)
	}
}
