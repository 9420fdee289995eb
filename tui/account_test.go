package tui_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// newMastodon fills in the form for a new account. The secret is last.
func newMastodon(d *driver) {
	d.press("7", "a", "down", "enter")
	d.typed("work")
	d.press("tab")
	d.typed("https://social.example")
	d.press("tab")
	d.typed("hunter2")
}

func TestAnAccountIsAdded(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		newMastodon(d)
		d.sees("New account on mastodon", "•••••••")
		d.press("tab")
		d.typed("unlisted")
		d.press("ctrl+s")
		d.sees("connected: work", "▌ work")
		want := apiv1.AddAccount{
			Platform: "mastodon", Name: "work", Options: map[string]any{"visibility": "unlisted"},
			Credentials: map[string]string{"instance_url": "https://social.example", "access_token": "hunter2"},
		}
		if diff := cmp.Diff(want, f.lastAdd); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

// A secret is never visible: not while it is typed, not after a refusal, not in the
// text that is saved at the end.
func TestSecretsAreNotShown(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("AddAccount", schedctl.Errorf(schedctl.ValidationFailed, "credentials.access_token", "the server refuses the token"))
		newMastodon(d)
		d.seesNot("hunter2")
		d.press("ctrl+s")
		d.sees("the server refuses the token", "•••••••", "https://social.example")
		d.seesNot("hunter2")
		d.press("esc")
		d.sees("Your changes are not saved", "esc keep editing   d discard")
		d.seesNot("hunter2")
		if got := tui.UnsavedText(d.model); got != "" {
			t.Errorf("%q would be saved in a file", got)
		}
		d.press("d", "u")
		d.seesNot("hunter2", "New account")
	})
}

func TestRequiredFieldsOfAForm(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("7", "a", "down", "enter", "ctrl+s")
		d.sees("required")
		if n := f.called("AddAccount"); n != 0 {
			t.Errorf("%d accounts were sent", n)
		}
		d.press("esc")
		d.sees("me@example.social")
	})
}

// Only changed fields are sent. An emptied option is reset to its default.
func TestAnAccountIsEdited(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.accounts[0].Options = map[string]any{"visibility": "private", "sensitive": true}
		d.press("7", "i")
		d.sees("Edit me on mastodon", "private", "true", "unchanged")
		d.press("ctrl+s")
		d.sees("nothing changed")
		d.press("i", "!", "tab", "ctrl+u", "ctrl+s")
		d.sees("saved: me!", "▌ me!")
		want := apiv1.EditAccount{Name: ptr("me!"), Options: map[string]any{"visibility": nil}}
		if diff := cmp.Diff(want, f.lastAccountEdit); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

// A form keeps its fields while the daemon is unreachable.
func TestAFormOutlivesAnOutage(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("AddAccount", fmt.Errorf("nothing answers: %w", screen.ErrUnreachable))
		newMastodon(d)
		d.press("ctrl+s")
		d.sees("no response: the account may be saved", "https://social.example", "•••••••")
		f.fail("AddAccount", nil)
		d.press("ctrl+s")
		d.sees("connected: work")
	})
}

// Posts can be filtered by the labels of the loaded posts.
func TestLabels(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.posts[1].Labels = []string{"launch", "q4"}
		d.press("R", "down", "enter")
		d.sees("labels: launch, q4")
		d.press("esc", "f")
		d.sees("( ) label launch", "( ) label q4")
		d.typed("launch")
		d.press("enter")
		d.sees("The second", "labeled launch")
		d.seesNot("Good morning")
		d.press("D", "ctrl+s")
		if p := f.post(t, "post_new0"); len(p.Labels) != 2 {
			t.Errorf("the copy has the labels %v", p.Labels)
		}
		d.press("esc")
		d.sees("Good morning")
	})
}
