package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// labelsOf returns the labels of posts, by text.
func (f *fake) labelsOf() map[string][]string {
	list := map[string][]string{}
	for text, p := range f.snapshot() {
		list[text] = p.Labels
	}
	return list
}

// Each action on marked posts changes all of them, and one undo takes all of it back.
func TestMarkedPostsChangeTogether(t *testing.T) {
	for name, test := range map[string]struct {
		view string
		keys []string
		says string
		want func(p apiv1.Post) bool
	}{
		"label": {"1", []string{"L", "l", "a", "u", "n", "c", "h", " ", "enter"}, "labeled 3 posts", func(p apiv1.Post) bool { return slices.Equal(p.Labels, []string{"launch"}) }},
		"label by command": {"1", []string{":", "l", "a", "b", "e", "l", " ", "a", ",", "b", "enter"}, "labeled 3 posts",
			func(p apiv1.Post) bool { return slices.Equal(p.Labels, []string{"a", "b"}) }},
		"accounts": {"1", []string{"T", "s", "k", "y", " ", "enter"}, "changed the accounts of 3 posts",
			func(p apiv1.Post) bool { return slices.Equal(p.SocialAccountIDs, []string{"acct_1", "acct_2"}) }},
		"accounts by command": {"1", []string{":", "t", "o", " ", "s", "k", "y", " ", "-", "m", "e", "enter"}, "changed the accounts of 3 posts",
			func(p apiv1.Post) bool { return slices.Equal(p.SocialAccountIDs, []string{"acct_2"}) }},
		"cancel":         {"1", []string{"c", "y"}, "canceled 3 posts", func(p apiv1.Post) bool { return p.Status == schedctl.Canceled }},
		"unschedule":     {"1", []string{"U", "y"}, "changed to drafts: 3 posts", func(p apiv1.Post) bool { return p.Status == schedctl.Draft }},
		"queue":          {"1", []string{"Q", "enter"}, "queued in morning: 3 posts", func(p apiv1.Post) bool { return p.QueueID != nil && *p.QueueID == "que_1" }},
		"archive":        {"5", []string{"Z", "y"}, "archived 3 posts", func(p apiv1.Post) bool { return p.ArchivedAt != nil }},
		"move a command": {"1", []string{":", "m", "o", "v", "e", " ", "+", "1", "d", "enter"}, "moved 3 posts", func(p apiv1.Post) bool { return p.Version > 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := full(6)
				for i := range 6 {
					f.posts = append(f.posts, published(fmt.Sprintf("post_p%d", i), fmt.Sprintf("Out %d", i), time.Duration(i+1)*time.Hour))
				}
				f.plan.queues = planned().plan.queues[:1]
				before := f.snapshot()
				d := drive(t, f, 120, 40)
				d.press(test.view)
				d.press(" ", " ", " ")
				d.press(test.keys...)
				d.sees(test.says)
				n := 0
				for _, p := range f.snapshot() {
					if test.want(p) && fmt.Sprint(p) != fmt.Sprint(before[p.Content]) {
						n++
					}
				}
				if n != 3 {
					t.Fatalf("%d posts are changed:\n%s", n, d.model.View())
				}
				d.seesNot("marked")
				d.press("u")
				if name == "cancel" {
					if n := strings.Count(fmt.Sprint(f.calls), "Create"); n != 3 {
						t.Errorf("%d copies were created", n)
					}
					return
				}
				for text, p := range f.snapshot() {
					was := before[text]
					if p.Status != was.Status || fmt.Sprint(p.PublishAt) != fmt.Sprint(was.PublishAt) || !slices.Equal(p.Labels, was.Labels) ||
						!slices.Equal(p.SocialAccountIDs, was.SocialAccountIDs) || p.ArchivedAt != nil {
						t.Errorf("after the undo, %q is %+v\n%s", text, p, d.model.View())
					}
				}
			})
		})
	}
}

// Posts that an action is not allowed for are left out, and the question says so.
func TestSomeMarkedPostsAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, world(), 120, 40)
		d.press("2", "home", " ", " ", "c")
		d.sees("only a post that is scheduled or publishing can be canceled")
		d.press(" ", " ", " ", "c")
		d.sees("Cancel 2 posts?", "Good morning", "3 marked posts cannot be part of it: the post is published: only a post that is scheduled or publishing can be canceled")
		d.press("n")
		d.sees("nothing changed")
	})
}

// A chooser filters as the user types, counts what is chosen, and keeps what only some of
// the posts have.
func TestChoosers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(4)
		f.posts[0].Labels, f.posts[1].Labels = []string{"launch", "draft"}, []string{"launch"}
		d := drive(t, f, 120, 40)
		d.press(" ", " ", "L")
		d.sees("[x] launch", "[-] draft", "1 label chosen, for 2 posts")
		d.typed("zeta")
		d.sees("press space to add “zeta”")
		d.seesNot("[x] launch")
		d.press(" ")
		d.sees("[x] zeta", "2 labels chosen")
		d.typed("laun")
		d.press(" ")
		d.sees("[ ] launch", "1 label chosen")
		d.press("enter")
		want := map[string][]string{"Post number 0": {"draft", "zeta"}, "Post number 1": {"zeta"}, "Post number 2": nil, "Post number 3": nil}
		if got := f.labelsOf(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the labels are %v, want %v", got, want)
		}
		d.press("L")
		d.typed("a,b")
		d.seesNot("press space to add")
	})
}

// The command line completes names, explains what a command needs, and suggests one for a
// name that is none.
func TestCommandLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(40)
		f.plan.queues = planned().plan.queues[:1]
		d := drive(t, f, 120, 40)
		d.press(":")
		d.sees("goto  today  move  label")
		for typed, want := range map[string]string{
			"lable x": "there is no command “lable”: did you mean label?", "xyzzyx": "there is no command “xyzzyx”", "goto": "goto needs DATE, for example: goto friday",
			"today now": "today takes nothing after it", "goto someday": `"someday" is not a valid time`, "label a,,": "labeled", "to nobody": "there is no account “nobody”; there are: me, sky, hook",
			"queue x": "there is no queue “x”; there are: morning", "move sometime": `"sometime" is not a valid time`, "move 2020-01-01 9:00": "is in the past", "re": "can be reload, review: type more of it",
			"label " + strings.Repeat("x", 60): "50 characters",
		} {
			d.press("esc", ":")
			d.typed(typed)
			d.press("enter")
			if !d.shows(want) {
				t.Errorf(":%s does not say %q:\n%s", typed, want, d.model.View())
			}
		}
		d.press("esc", ":", "g", "o", "tab")
		d.typed("1 dec")
		d.sees("goto DATE: show the week or month of a date")
		d.press("enter")
		d.sees("[2 Week]", "Tue  1")
		d.press(":")
		d.typed("history")
		d.press("enter")
		d.sees("[5 History]")
		d.press("1", ":")
		d.typed("mark")
		d.press("enter")
		d.sees("40 posts marked")
		d.press(":")
		d.typed("label all")
		d.sees("on 40 marked posts")
		d.press("enter")
		d.sees("labeled 40 posts")
	})
}

// A range ends when its posts were changed, so that the next arrow does not mark them again.
func TestARangeEndsWithItsChange(t *testing.T) {
	for name, keys := range map[string][]string{"one post": {"V"}, "several posts": {"V", "down", "down"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := drive(t, full(6), 120, 40)
				d.press(keys...)
				d.sees("marked, a range", "L labels")
				d.press("m", "right", "enter")
				d.sees("moved")
				d.press("down")
				d.seesNot("L labels") // a key for marked posts
			})
		})
	}
}
