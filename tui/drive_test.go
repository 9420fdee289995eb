package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// driver runs a browser as a terminal would, one message at a time. It is used in a
// synctest bubble, where time passes immediately.
type driver struct {
	t     testing.TB
	model tea.Model
	quit  bool
	hold  []tea.Msg // held messages
	holds func(tea.Msg) bool
}

func drive(t testing.TB, f screen.Client, width, height int, change ...func(*tui.Config)) *driver {
	cfg := tui.Config{Client: f, Zone: zone, Now: func() time.Time { return now }}
	for _, c := range change {
		c(&cfg)
	}
	d := &driver{t: t, model: tui.New(context.Background(), cfg)}
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	d.send(tui.Opened())
	return d
}

func (d *driver) send(msg tea.Msg) {
	var cmd tea.Cmd
	d.model, cmd = d.model.Update(msg)
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		switch {
		case tui.IsTick(msg), tui.IsAgain(msg):
		case d.holds != nil && d.holds(msg):
			d.hold = append(d.hold, msg)
		default:
			d.send(msg)
		}
	}
}

// release delivers the held messages.
func (d *driver) release() {
	held := d.hold
	d.hold, d.holds = nil, nil
	for _, msg := range held {
		d.send(msg)
	}
}

// keys are the keys that are not characters.
var keys = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"pgdown": tea.KeyPgDown, "home": tea.KeyHome, "ctrl+s": tea.KeyCtrlS, "ctrl+t": tea.KeyCtrlT,
	"ctrl+e": tea.KeyCtrlE, "ctrl+c": tea.KeyCtrlC, "shift+tab": tea.KeyShiftTab, "left": tea.KeyLeft, "right": tea.KeyRight,
	"backspace": tea.KeyBackspace, "end": tea.KeyEnd, "ctrl+u": tea.KeyCtrlU, "ctrl+o": tea.KeyCtrlO,
	"pgup": tea.KeyPgUp, "ctrl+l": tea.KeyCtrlL, "ctrl+r": tea.KeyCtrlR, "shift+up": tea.KeyShiftUp, "shift+down": tea.KeyShiftDown, "ctrl+k": tea.KeyCtrlK, "ctrl+g": tea.KeyCtrlG,
}

func press(name string) tea.KeyMsg {
	if base, alt := strings.CutPrefix(name, "alt+"); alt {
		k := press(base)
		k.Alt = true
		return k
	}
	if typ, ok := keys[name]; ok {
		return tea.KeyMsg{Type: typ}
	}
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func (d *driver) press(names ...string) {
	for _, n := range names {
		d.send(press(n))
	}
}

// typed types a text.
func (d *driver) typed(text string) {
	for _, r := range text {
		d.press(string(r))
	}
}

func (d *driver) sees(want ...string) {
	d.t.Helper()
	screen := d.model.View()
	for _, w := range want {
		if !strings.Contains(screen, w) {
			d.t.Errorf("the screen does not show %q:\n%s", w, screen)
		}
	}
}

func (d *driver) shows(text string) bool { return strings.Contains(d.model.View(), text) }

func (d *driver) seesNot(want ...string) {
	d.t.Helper()
	screen := d.model.View()
	for _, w := range want {
		if strings.Contains(screen, w) {
			d.t.Errorf("the screen shows %q:\n%s", w, screen)
		}
	}
}

// scheduled returns a scheduled post.
func scheduled(id, content string, in time.Duration) apiv1.Post {
	return apiv1.Post{
		ID: id, Content: content, Status: schedctl.Scheduled, PublishAt: at(in), Version: 3, CreatedAt: at(-time.Hour),
		SocialAccountIDs: []string{"acct_1", "acct_2"},
		Targets: []apiv1.Target{
			{ID: "pt_" + id + "1", SocialAccountID: "acct_1", Platform: "mastodon", Status: schedctl.Scheduled, PublishAt: at(in)},
			{ID: "pt_" + id + "2", SocialAccountID: "acct_2", Platform: "bluesky", Status: schedctl.Scheduled, PublishAt: at(in)},
		},
	}
}

func draftPost(id, content string) apiv1.Post {
	return apiv1.Post{ID: id, Content: content, Status: schedctl.Draft, Version: 1, CreatedAt: at(-2 * time.Hour), SocialAccountIDs: []string{"acct_1"},
		Targets: []apiv1.Target{{ID: "pt_" + id, SocialAccountID: "acct_1", Platform: "mastodon", Status: schedctl.Draft}}}
}

func failedPost(id, content string, errs ...apiv1.TargetError) apiv1.Post {
	p := apiv1.Post{ID: id, Content: content, Status: schedctl.Failed, PublishAt: at(-3 * time.Hour), Version: 5, CreatedAt: at(-5 * time.Hour)}
	for i, e := range errs {
		account := fmt.Sprintf("acct_%d", i+1)
		p.SocialAccountIDs = append(p.SocialAccountIDs, account)
		p.Targets = append(p.Targets, apiv1.Target{ID: fmt.Sprintf("pt_%s%d", id, i), SocialAccountID: account, Platform: "mastodon", Status: schedctl.Failed, Error: &e, Attempts: 1})
	}
	return p
}

func published(id, content string, ago time.Duration) apiv1.Post {
	return apiv1.Post{ID: id, Content: content, Status: schedctl.Published, PublishAt: at(-ago), Version: 4, CreatedAt: at(-ago - time.Hour), SocialAccountIDs: []string{"acct_1"},
		Targets: []apiv1.Target{{ID: "pt_" + id, SocialAccountID: "acct_1", Platform: "mastodon", Status: schedctl.Published, PublishedAt: at(-ago), PlatformPostURL: ptr("https://example.social/@me/" + id)}}}
}

// warned returns a published post that the network has changed.
func warned(p apiv1.Post) apiv1.Post {
	p.Targets[0].Error = &apiv1.TargetError{
		Kind: schedctl.KindDegraded, Code: ptr("visibility"), Message: "the server changed the post: the visibility is public instead of unlisted", Outcome: schedctl.OutcomePublished,
	}
	return p
}

// world is a daemon with content in every view.
func world() *fake {
	f := newFake()
	f.posts = []apiv1.Post{
		scheduled("post_a", "Good morning! A release with 🎉 and 👩‍👩‍👧 and 漢字 in it, longer than any line", 45*time.Second),
		scheduled("post_b", "The second\npost of the day", 3*time.Hour),
		scheduled("post_c", "Tomorrow's post", 22*time.Hour),
		scheduled("post_d", "In a week or so", 8*24*time.Hour),
		draftPost("post_e", "An idea"),
		draftPost("post_f", "Another idea"),
		warned(published("post_g", "It is out", 26*time.Hour)),
		failedPost("post_h", "Not everywhere",
			apiv1.TargetError{Kind: schedctl.KindContent, Message: "the text is too long for this network", Outcome: schedctl.OutcomeNotPublished},
			apiv1.TargetError{Kind: schedctl.KindUnknown, Message: "the daemon ended during the call", Outcome: schedctl.OutcomeUnknown}),
		failedPost("post_i", "Too late", apiv1.TargetError{Kind: schedctl.KindMissed, Message: "found 2 days after its time", Outcome: schedctl.OutcomeNotPublished}),
	}
	f.webhooks = []apiv1.Webhook{
		{ID: "wh_1", Name: ptr("build"), URL: "https://example.com/hook", Enabled: true},
		{ID: "wh_2", URL: "https://example.net/x", Enabled: true, FailingSince: at(-2 * time.Hour)},
		{ID: "wh_3", URL: "https://example.org/y", DisabledReason: ptr("it failed for 5 days")},
	}
	f.deliveries = []apiv1.Delivery{
		{ID: "whd_1", EventType: schedctl.EventPostPublished, Attempt: 1, Status: schedctl.DeliveryDelivered, HTTPStatus: ptr(204), CreatedAt: at(-time.Minute)},
		{ID: "whd_2", EventType: schedctl.EventPostFailed, Attempt: 9, Status: schedctl.DeliveryFailed, HTTPStatus: ptr(500), Response: ptr("oops"), CreatedAt: at(-time.Hour)},
	}
	return f
}
