package tui_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

func withSnippets() *fake {
	f := newFake()
	f.snippets = []apiv1.Snippet{{Name: "imprint", Text: "Written by us\nand by you"}, {Name: "tags", Text: "#go #release"}}
	return f
}

// The text of a snippet is inserted at the cursor, in the text and in the first comment.
func TestSnippetsAreInserted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withSnippets()
		d := drive(t, f, 80, 24)
		d.press("n")
		d.typed("New: ! ")
		d.press("left", "left", "alt+i")
		d.sees("Insert which snippet?", "(x) imprint  Written by us", "( ) tags  #go #release")
		d.typed("release")
		d.seesNot("imprint")
		d.press("enter")
		d.sees("New: #go #release▏!")
		d.press("ctrl+r")
		d.typed("More: ")
		d.press("tab", "alt+i", "down", "up", "enter") // also from another field
		d.press("ctrl+s")
		p := f.lastCreate
		if p.Content != "New: #go #release! " || p.FirstComment == nil || p.FirstComment.Content != "More: Written by us\nand by you" {
			t.Fatalf("sent %q and %+v", p.Content, p.FirstComment)
		}
	})
}

// The chooser says why there is nothing to choose, and esc goes back to the text.
func TestNoSnippetToChoose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		d := drive(t, f, 80, 24)
		d.press("n", "alt+i")
		d.sees(`there is no snippet: make one with schedctl snippet set tags "#go"`)
		f.fail("Snippets", schedctl.Errorf(schedctl.Internal, "", "out of space"))
		d.press("alt+i")
		d.sees("the snippets cannot be read: out of space")
		f.fail("Snippets", nil)
		f.snippets = withSnippets().snippets
		d.holds = tui.IsSnippets
		d.press("alt+i")
		d.sees("reading the snippets …")
		d.typed("ta")
		d.press("enter")
		d.release()
		d.sees("( ) tags")
		d.seesNot("imprint")
		d.press("esc", "down")
		d.sees("imprint", "esc cancel")
		d.press("esc")
		d.sees("New post")
		d.typed("x")
		d.press("alt+i", "ctrl+c")
		d.sees("Leave? Your text is not saved.")
	})
}

// A reference to a snippet stays in a text only if it is saved twice.
func TestReferencesToSnippetsAreNotPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withSnippets()
		d := drive(t, f, 80, 24)
		d.press("n")
		d.typed(`Out now {{snippet "tags"}}`)
		d.press("ctrl+s")
		d.sees(`{{snippet "tags"}} would stay in the text: only the command line puts snippets`, "alt+i inserts a snippet", "save again to keep the braces")
		d.typed(` and {{ snippet "more" }}`)
		d.press("ctrl+s")
		d.sees("would stay in the text")
		if f.called("Create") != 0 {
			t.Fatal("the post was saved without the warning")
		}
		d.press("ctrl+s")
		if p := f.lastCreate; p.Content != `Out now {{snippet "tags"}} and {{ snippet "more" }}` {
			t.Fatalf("sent %q", p.Content)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := withSnippets()
		d := drive(t, f, 80, 24)
		d.press("n")
		d.typed("Text")
		d.press("ctrl+r")
		d.typed(`{{snippet "tags"}}`)
		d.press("esc", "s")
		d.sees("would stay in the text")
		d.press("esc", "s")
		if f.called("Create") != 1 {
			t.Fatal("the second save did not save the draft")
		}
	})
}

func withGroups() *fake {
	f := world()
	f.groups = []apiv1.AccountGroup{
		{Name: "brand", SocialAccountIDs: []string{"acct_1", "acct_2"}},
		{Name: "secret", SocialAccountIDs: []string{"acct_1"}, HiddenAccounts: 2},
	}
	return f
}

// A group among the accounts of the composer chooses its accounts.
func TestGroupsInTheComposer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withGroups()
		d := drive(t, f, 80, 24)
		d.press("n")
		d.typed("For all of them")
		d.press("tab", "down", " ")
		d.sees("[x] sky", "[-] @brand 2 accounts", "[ ] @secret 1 account and 2 that your key may not use")
		d.press("down", "down", "o")
		d.sees("a group has no text of its own")
		d.press(" ")
		d.sees("[x] me", "[x] sky", "[x] @brand", "To, 2 chosen")
		d.press(" ")
		d.sees("[ ] me", "[ ] sky", "[ ] @brand")
		d.press("down", " ")
		d.sees("@secret has 2 accounts that your key may not use: choose accounts instead", "[ ] me")
		d.press("/")
		d.typed("@b")
		d.sees("1 match")
		d.press("enter", " ", "ctrl+s")
		if got := strings.Join(f.lastCreate.SocialAccountIDs, " "); got != "acct_1 acct_2" {
			t.Fatalf("sent to %q", got)
		}
	})
}

// With many accounts, the title says how to find the groups.
func TestGroupsAfterManyAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withGroups()
		for range 10 {
			f.accounts = append(f.accounts, f.accounts[0])
		}
		d := drive(t, f, 80, 24)
		d.press("n", "tab")
		d.sees("To, 2 groups: / and @ show them")
		d.seesNot("@brand")
		d.press("/", "@")
		d.sees("@brand", "2 match")
	})
}

// The chooser of snippets, and groups in the composer, in all color modes.
func TestSnippetScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"compose-groups":  {"n", "H", "i", "tab", " ", "down", "down", "down"},
		"compose-snippet": {"n", "H", "i", "alt+i", "down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var golden txtar.Archive
			for _, size := range sizes {
				for _, look := range looks {
					f := withGroups()
					f.snippets = withSnippets().snippets
					screen := draw(t, f, size.width, size.height, look.change, keys)
					measure(t, screen, size.width, size.height)
					golden.Files = append(golden.Files, txtar.File{Name: fmt.Sprint(size.width, " ", look.name), Data: []byte(readable(screen))})
				}
			}
			compare(t, filepath.Join("testdata", name+".txtar"), string(txtar.Format(&golden)))
		})
	}
}

// :to takes the accounts of a group.
func TestGroupsInTheCommandLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withGroups()
		f.posts = []apiv1.Post{draftPost("post_e", "An idea")}
		f.posts[0].SocialAccountIDs = nil
		d := drive(t, f, 100, 24)
		command := func(text string) {
			d.press(":", "ctrl+u")
			d.typed(text)
			d.press("enter")
		}
		d.press("4")
		command("to @nosuch")
		d.sees("there is no account group “@nosuch”; there are: @brand, @secret")
		d.press("esc")
		command("to @secret")
		d.sees("@secret has 2 accounts that your key may not use")
		d.press("esc")
		command("to @brand")
		if got := strings.Join(f.post(t, "post_e").SocialAccountIDs, " "); got != "acct_1 acct_2" {
			t.Fatalf("the post has %q", got)
		}
		command("to -@brand")
		if got := f.post(t, "post_e").SocialAccountIDs; len(got) != 0 {
			t.Fatalf("the post has %q", got)
		}
		f.groups = nil
		command("to @brand")
		d.sees("make one with schedctl account group create brand --account NAME")
		d.press("esc")
		f.fail("AccountGroups", schedctl.Errorf(schedctl.Internal, "", "out of space"))
		command("to @brand")
		d.sees("the account groups cannot be read: out of space")
	})
}

// A notice about marks ends when the view changes with a command.
func TestACommandEndsTheNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, world(), 80, 24)
		d.press("2", " ", "esc")
		d.sees("no longer marked")
		d.press(":")
		d.typed("goto in 3 weeks")
		d.press("enter")
		d.seesNot("no longer marked")
	})
}

// The post that was edited stays selected when a search ends, also on a later page and if
// the search does not find it any more.
func TestTheEditedPostStaysSelected(t *testing.T) {
	for _, change := range []string{"!", "\x00"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			for i := range 250 {
				f.posts = append(f.posts, draftPost("post_"+string(rune('a'+i/26))+string(rune('a'+i%26)), "An idea"))
				f.posts[i].CreatedAt = at(-time.Duration(i) * time.Minute)
			}
			f.posts[230].Content, f.posts[240].Content = "Find me", "Find me too"
			d := drive(t, f, 80, 24)
			d.press("4", "/")
			d.typed("Find")
			d.press("enter", "i")
			if change == "\x00" {
				d.press("ctrl+u")
				d.typed("Lost")
			} else {
				d.typed(change)
			}
			d.press("ctrl+s", "esc")
			d.press("enter")
			p, err := f.Post(context.Background(), f.posts[230].ID)
			if err != nil || p.Content == "Find me" {
				t.Fatalf("the post was not edited: %v", err)
			}
			d.sees(p.ID)
		})
	}
}

// In a narrow week, a post with several marks keeps the tag of its account.
func TestANarrowWeekKeepsTags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for i := range 20 {
			p := scheduled("post_"+string(rune('a'+i)), "Text", time.Duration(i+1)*20*time.Minute)
			p.SeriesID, p.Approval = ptr("ser_1"), &apiv1.Approval{State: schedctl.ApprovalApproved}
			f.posts = append(f.posts, p)
		}
		d := drive(t, f, 80, 24)
		d.press("2")
		d.sees("○ 12:40 me")
		d.seesNot("12:40 ↻")
	})
}
