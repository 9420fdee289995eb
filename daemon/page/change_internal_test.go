package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page/worddiff"
)

// TestNoMoreIsComparedThanShown guards that the texts of a post for which the page has no room
// are not compared, and that a page without a limit compares all of them.
func TestNoMoreIsComparedThanShown(t *testing.T) {
	t.Parallel()
	const parts, words, cellsEach = 24, 80, 160 * 160 // words, and the spaces between them
	long := func(word string) (text string) { return strings.Repeat(word+" ", words) }
	p := schedctl.Post{Content: schedctl.Content{Text: "text"}, Targets: []schedctl.Target{{AccountID: "acct_1", Status: schedctl.Draft}}}
	by := schedctl.Actor{Key: schedctl.KeyRef{ID: "key_1", Name: "author"}}
	thread := func(word string) (list []schedctl.Part) {
		for i := range parts {
			list = append(list, schedctl.Part{Content: long(fmt.Sprint(word, i))})
		}
		return list
	}
	p.Thread = thread("before")
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	if _, err := p.Submit(schedctl.Submission{By: by}, now); err != nil {
		t.Fatal(err)
	}
	boss := schedctl.Actor{Key: schedctl.KeyRef{ID: "key_2", Name: "boss"}, Approver: true}
	if _, err := p.RequestChanges(schedctl.Decision{By: boss, Note: "another text"}, now); err != nil {
		t.Fatal(err)
	}
	p.Thread = thread("after")
	v := &PostView{Post: &p}
	for name, c := range map[string]struct {
		room       *budget
		most, show int
	}{
		"a page": {&budget{left: changesBytes}, 9 * cellsEach, 8}, "the whole page": {nil, parts * cellsEach, parts},
	} {
		cells := new(worddiff.MaxCells)
		list := v.changes(c.room, cells)
		if spent := worddiff.MaxCells - *cells; spent > c.most || spent < cellsEach/2 || len(list) < 1 || len(list) > c.show {
			t.Errorf("%s has %d texts, and comparing them took %d cells", name, len(list), spent)
		}
	}
}
