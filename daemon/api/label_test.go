package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// TestLabelsOfPosts guards what is counted: posts that the key may see, neither canceled
// nor archived.
func TestLabelsOfPosts(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		other := f.newAccount(f.mine, "other")
		first, last := time.Now().Add(time.Hour).UTC().Truncate(time.Second), time.Now().Add(48*time.Hour).UTC().Truncate(time.Second)
		post := func(account string, at any, labels ...string) string {
			return f.create(body{"content": fmt.Sprint(account, at, labels), "social_account_ids": []string{account}, "publish_at": at, "labels": labels}).ID
		}
		post(f.mine.account, last, "launch", "Spring sale")
		post(f.mine.account, first, "launch")
		post(f.mine.account, nil, "launch", "draft")
		post(other, last.Add(time.Hour), "launch", "elsewhere")
		f.do(nil, "POST", "/posts/"+post(f.mine.account, first, "canceled")+"/cancel", nil).want(200)
		labels := func(key option) []apiv1.Label {
			t.Helper()
			list := decodeAs[apiv1.LabelList](t, f.do(key, "GET", "/labels", nil).want(200))
			if list.Count != len(list.Results) || !list.Complete {
				t.Errorf("the list is %+v", list)
			}
			return list.Results
		}
		at := func(t time.Time) *apiv1.Time { return apiv1.NewTime(t) }
		all := []apiv1.Label{
			{Label: "Spring sale", Posts: 1, FirstAt: at(last), LastAt: at(last)}, {Label: "draft", Posts: 1},
			{Label: "elsewhere", Posts: 1, FirstAt: at(last.Add(time.Hour)), LastAt: at(last.Add(time.Hour))},
			{Label: "launch", Posts: 4, FirstAt: at(first), LastAt: at(last.Add(time.Hour))},
		}
		if d := cmp.Diff(all, labels(nil)); d != "" {
			t.Error(d)
		}
		seen := []apiv1.Label{all[2], {Label: "launch", Posts: 1, FirstAt: all[2].FirstAt, LastAt: all[2].LastAt}}
		if d := cmp.Diff(seen, labels(as(f.limitedKey(other)))); d != "" {
			t.Error(d)
		}
		f.do(nil, "GET", "/labels?x=1", nil).refused(schedctl.ValidationFailed)
	})
}
