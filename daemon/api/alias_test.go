package api_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

func TestAccountGroups(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		one, two := f.mine.account, f.newAccount(f.mine, "other")
		set := func(key option, name string, b body) *response { return f.do(key, "PUT", "/account-groups/"+name, b) }
		groups := func(key option) []apiv1.AccountGroup {
			t.Helper()
			list := decodeAs[apiv1.AccountGroupList](t, f.do(key, "GET", "/account-groups", nil).want(200))
			if list.Count != len(list.Results) {
				t.Errorf("the list is %+v", list)
			}
			return list.Results
		}
		set(nil, "brand", body{"social_account_ids": []string{two, one}, "create_only": true}).want(200)
		set(nil, "alone", body{"social_account_ids": []string{one}}).want(200)
		list := groups(nil)
		if len(list) != 2 || list[0].Name != "alone" || !slices.Equal(list[1].SocialAccountIDs, slices.Sorted(slices.Values([]string{one, two}))) {
			t.Errorf("groups %+v", list)
		}
		set(nil, "brand", body{"social_account_ids": []string{one}, "create_only": true}).refused(schedctl.NameTaken)
		for _, wrong := range []body{{"social_account_ids": []string{}}, {}} {
			set(nil, "brand", wrong).want(400)
		}
		for _, wrong := range [][]string{{one, one}, {"acct_01K2M4N6P8QARCTDVEWFXGYHZ1"}} {
			set(nil, "brand", body{"social_account_ids": wrong}).refused(schedctl.InvalidSocialAccounts)
		}
		for _, wrong := range []string{"Brand", "a.b", "-a", "%40brand"} {
			set(nil, wrong, body{"social_account_ids": []string{one}}).refused(schedctl.ValidationFailed)
		}

		// A key that is limited to one account.
		limited := as(f.limitedKey(one))
		if list := groups(limited); len(list) != 2 || list[1].HiddenAccounts != 1 || len(list[1].SocialAccountIDs) != 1 {
			t.Errorf("a limited key sees %+v", list)
		}
		if list := groups(as(f.limitedKey(two))); len(list) != 1 || list[0].Name != "brand" {
			t.Errorf("a key that is limited to the other account sees %+v", list)
		}
		set(limited, "brand", body{"social_account_ids": []string{one}}).refused(schedctl.AccountNotAllowed)
		set(limited, "alone", body{"social_account_ids": []string{two}}).refused(schedctl.AccountNotAllowed)
		f.do(limited, "DELETE", "/account-groups/brand", nil).refused(schedctl.AccountNotAllowed)
		set(limited, "alone", body{"social_account_ids": []string{one}}).want(200)

		// Accounts that were removed are left out.
		f.do(nil, "DELETE", "/social-accounts/"+two, nil).want(204)
		if list := groups(nil); len(list) != 2 || len(list[1].SocialAccountIDs) != 1 || list[1].HiddenAccounts != 0 {
			t.Errorf("after a removal: %+v", list)
		}
		f.do(nil, "DELETE", "/account-groups/brand", nil).want(204)
		f.do(nil, "DELETE", "/account-groups/brand", nil).refused(schedctl.NotFound)
	})
}

func TestSnippets(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		set := func(name, text string) *response {
			return f.do(nil, "PUT", "/snippets/"+name, body{"text": text})
		}
		set("tags", "\r\n#go\r\n#release \n").want(200)
		set("about", "old").want(200)
		set("about", "new").want(200)
		list := decodeAs[apiv1.SnippetList](t, f.do(nil, "GET", "/snippets", nil).want(200))
		if list.Count != 2 || list.Results[0].Text != "new" || list.Results[1].Text != "#go\n#release" {
			t.Errorf("snippets %+v", list)
		}
		set("tags", " \n").refused(schedctl.ValidationFailed)
		set("Tags", "x").refused(schedctl.ValidationFailed)
		f.do(nil, "DELETE", "/snippets/tags", nil).want(204)
		f.do(nil, "DELETE", "/snippets/tags", nil).refused(schedctl.NotFound)
		f.do(nil, "DELETE", "/account-groups/about", nil).refused(schedctl.NotFound)
		for i := range schedctl.MaxAliases - 1 {
			set(fmt.Sprint("n", i), "x").want(200)
		}
		set("more", "x").refused(schedctl.ValidationFailed)
		set("n0", "y").want(200)
	})
}
