package schedctl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

func TestOverrides(t *testing.T) {
	t.Parallel()
	own := schedctl.Override{AccountID: "acct_b", Partial: schedctl.Partial{Text: "for b", Options: schedctl.Options{"visibility": "private"}}}
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a", "b"), PublishAt: t0.Add(time.Hour), Overrides: []schedctl.Override{own}})
	if a, b := p.ContentFor(&p.Targets[0]), p.ContentFor(&p.Targets[1]); a != "hello" || b != "for b" {
		t.Errorf("contents %q, %q", a, b)
	}
	if diff := cmp.Diff([]schedctl.Override{own}, p.Overrides()); diff != "" {
		t.Error(diff)
	}
	account := schedctl.Account{Options: schedctl.Options{"visibility": "public", "language": "en"}}
	want := schedctl.Options{"visibility": "private", "language": "en"}
	if diff := cmp.Diff(want, account.OptionsFor(p.Targets[1].Options)); diff != "" {
		t.Error(diff)
	}
	if account.Options["visibility"] != "public" {
		t.Error("the account's own options were changed")
	}
}

// An edit may not take the text of a post away whose only media an override has removed.
func TestEditLeavesSomethingToPublish(t *testing.T) {
	t.Parallel()
	n := schedctl.NewPost{Accounts: accounts("a", "b"), Content: schedctl.Content{Media: []schedctl.PostMedia{{AssetID: "med_1"}}}}
	n.Overrides = []schedctl.Override{{AccountID: "acct_b", Partial: schedctl.Partial{Media: []schedctl.PostMedia{}}}}
	p, _ := create(t, n)
	if _, err := p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: new("")}}, t0); schedctl.CodeOf(err) != schedctl.ValidationFailed {
		t.Errorf("error %v", err)
	}
	if _, err := p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: new("")}, Accounts: new(accounts("a"))}, t0); err != nil {
		t.Errorf("without the account: %v", err)
	}
}

func TestEditOverrides(t *testing.T) {
	t.Parallel()
	b := schedctl.Override{AccountID: "acct_b", Partial: schedctl.Partial{Text: "for b"}}
	c := schedctl.Override{AccountID: "acct_c", Partial: schedctl.Partial{Options: schedctl.Options{"langs": []any{"de"}}}}
	both := accounts("b", "c")
	text := "other"
	for name, tt := range map[string]struct {
		edit schedctl.Edit
		want []schedctl.Override
		kept bool // the version
	}{
		"none given":         {schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &text}}, []schedctl.Override{b}, false},
		"all taken away":     {schedctl.Edit{Overrides: &[]schedctl.Override{}}, []schedctl.Override{}, false},
		"the same":           {schedctl.Edit{Overrides: &[]schedctl.Override{b}}, []schedctl.Override{b}, true},
		"an empty one":       {schedctl.Edit{Overrides: &[]schedctl.Override{{AccountID: "acct_b"}}}, []schedctl.Override{}, false},
		"for a new account":  {schedctl.Edit{Accounts: &both, Overrides: &[]schedctl.Override{c, b}}, []schedctl.Override{b, c}, false},
		"account taken away": {schedctl.Edit{Accounts: new(accounts("a"))}, []schedctl.Override{}, false},
	} {
		p, _ := create(t, schedctl.NewPost{Accounts: accounts("a", "b"), PublishAt: t0.Add(time.Hour), Overrides: []schedctl.Override{b}})
		if _, err := p.Edit(tt.edit, t0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, p.Overrides()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if kept := p.Version == 1; kept != tt.kept {
			t.Errorf("%s: version %d", name, p.Version)
		}
	}
}

func TestOverridesAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", schedctl.MaxContent+1)
	for name, tt := range map[string]struct {
		list  []schedctl.Override
		code  schedctl.Code
		field string
	}{
		"foreign":  {[]schedctl.Override{{AccountID: "acct_z", Partial: schedctl.Partial{Text: "x"}}}, schedctl.ValidationFailed, "target_overrides[0].social_account_id"},
		"twice":    {[]schedctl.Override{{AccountID: "acct_a"}, {AccountID: "acct_a"}}, schedctl.ValidationFailed, "target_overrides[1].social_account_id"},
		"blank":    {[]schedctl.Override{{AccountID: "acct_a", Partial: schedctl.Partial{Text: " "}}}, schedctl.ValidationFailed, "target_overrides[0].content"},
		"too long": {[]schedctl.Override{{AccountID: "acct_a", Partial: schedctl.Partial{Text: long}}}, schedctl.ContentTooLong, "target_overrides[0].content"},
	} {
		_, _, err := schedctl.Create(schedctl.NewPost{Content: schedctl.Content{Text: "x"}, Accounts: accounts("a"), Overrides: tt.list}, t0)
		p := scheduledPost(t)
		before := p.Clone()
		_, editErr := p.Edit(schedctl.Edit{Overrides: &tt.list}, t0)
		for _, err := range []error{err, editErr} {
			e, ok := err.(*schedctl.Error)
			if !ok || e.Code != tt.code || e.Field != tt.field {
				t.Errorf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(before, p); diff != "" {
			t.Errorf("%s: a refused edit changed the post: %s", name, diff)
		}
	}
}
