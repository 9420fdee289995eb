package api_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
)

// TestManyClicksAtOnce guards that one form that is sent many times at once, and the form of
// another person, have one effect together.
func TestManyClicksAtOnce(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.proposed(body{"content": "Hello"})
		var people []*browser
		var forms []url.Values
		var paths []string
		for range 2 {
			b := &browser{f: f}
			path := f.reviewer(body{"can": "decide"}) + "/" + p.ID
			form := b.get(path).fields("approve")
			for range 4 {
				people, forms, paths = append(people, &browser{f: f, cookie: b.cookie}), append(forms, form), append(paths, path)
			}
		}
		statuses := make([]int, len(people))
		var wg sync.WaitGroup
		for i := range people {
			wg.Go(func() { statuses[i] = people[i].send(sameOrigin, "POST", paths[i], forms[i]).status })
		}
		wg.Wait()
		won := 0
		for _, status := range statuses {
			switch status {
			case http.StatusSeeOther:
				won++
			case http.StatusConflict, http.StatusPreconditionFailed:
			default:
				t.Errorf("a click has the status %d", status)
			}
		}
		if n := f.count(p.ID, "post.approved"); n != 1 || won == 0 || f.read(p.ID).Status != schedctl.Scheduled {
			t.Errorf("%d approvals, statuses %v", n, statuses)
		}
	})
}
