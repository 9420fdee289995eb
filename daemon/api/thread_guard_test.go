package api_test

import (
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// TestDuplicateGuardOfRemovedThreads guards that every part counts for the duplicate
// guard, and that a canceled or deleted thread does not.
func TestDuplicateGuardOfRemovedThreads(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Options = schedctl.Options{"duplicate_guard": "24h"} })
		thread := func(second, comment string) body {
			return body{
				"content": "one", "thread": []body{{"content": second}}, "first_comment": body{"content": comment},
				"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
			}
		}
		first := f.create(thread("two", "comment"))
		f.create(thread("2", "comment"))
		f.create(thread("two", "another comment"))
		f.do(nil, "POST", "/posts", thread("two", "comment")).refused(schedctl.DuplicateContent)
		f.do(nil, "POST", "/posts/"+first.ID+"/cancel", nil).want(200)
		second := f.create(thread("two", "comment"))
		f.do(nil, "POST", "/posts", thread("two", "comment")).refused(schedctl.DuplicateContent)
		f.do(nil, "POST", "/posts/"+second.ID+"/unschedule", nil).want(200)
		f.do(nil, "DELETE", "/posts/"+second.ID, nil).want(204)
		f.create(thread("two", "comment"))
		f.do(nil, "POST", "/posts", thread("two", "comment")).refused(schedctl.DuplicateContent)
	})
}

// TestValidatePartsOfOverrides guards that the parts of an override are measured, and
// that their problems name it.
func TestValidatePartsOfOverrides(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		f.limit(f.mine.account, 5)
		b := body{
			"content": "too long", "thread": []body{{"content": "too long"}, {"content": "too long"}}, "first_comment": body{"content": "fine"},
			"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
			"target_overrides": []body{{"social_account_id": f.mine.account, "content": "fine", "thread": []body{{"content": "ok"}, {"content": "ok"}, {"content": "longer"}}}},
		}
		got := f.validate(b)
		var problems []string
		for _, part := range got.Accounts[0].Parts {
			for _, p := range part.Problems {
				problems = append(problems, string(part.Kind)+" "+p.Field+" "+p.Code)
			}
		}
		if want := []string{"reply target_overrides[0].thread[2].content CONTENT_TOO_LONG"}; got.Allowed || len(got.Accounts[0].Parts) != 5 || !slices.Equal(problems, want) {
			t.Errorf("problems %q, validation %+v", problems, got)
		}
		b["target_overrides"] = []body{{"social_account_id": f.mine.account, "content": "fine", "thread": []body{}}}
		if got := f.validate(b); !got.Allowed || len(got.Accounts[0].Parts) != 2 {
			t.Errorf("without a thread: %+v", got)
		}
	})
}
