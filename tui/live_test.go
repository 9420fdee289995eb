package tui_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

func event(id, post string) apiv1.Event {
	return apiv1.Event{ID: id, Type: schedctl.EventPostUpdated, Data: apiv1.EventData{PostID: post}}
}

// An interrupted stream is resumed after a pause.
func TestFollowReconnects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.streams = [][]apiv1.Event{{event("evt_1", "post_a"), event("evt_2", "post_a")}, {event("evt_3", "post_b")}}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		var got []string
		go func() {
			defer close(done)
			tui.LinkStates(ctx, f, func(s string) { got = append(got, s) })
		}()
		time.Sleep(time.Hour)
		stop()
		<-done
		want := []string{"connecting", "open", "event evt_1", "event evt_2", "waiting", "connecting", "open", "event evt_3", "waiting", "connecting", "open"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("notified (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"", "evt_2", "evt_3"}, f.after); diff != "" {
			t.Errorf("resumed after (-want +got):\n%s", diff)
		}
	})
}

func TestFollowBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.fail("Follow", schedctl.Errorf(schedctl.APIKeyRevoked, "", "the key was revoked"))
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
		defer stop()
		refused := 0
		tui.LinkStates(ctx, f, func(s string) {
			if s == "refused" {
				refused++
			}
		})
		if refused < 15 || refused > 50 {
			t.Errorf("%d attempts in ten minutes", refused)
		}
	})
}

func TestTheConnectionIsShown(t *testing.T) {
	flow(t, func(t *testing.T, _ *fake, d *driver) {
		d.sees("live")
		d.send(tui.Broken(now.Add(4 * time.Second)))
		d.sees("offline, retry in 4s")
		d.send(tui.Tick(now.Add(time.Second)))
		d.sees("offline, retry in 3s")
		d.send(tui.Opened())
		d.sees("live")
	})
}

func TestEventsBringPostsUpToDate(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		ctx := context.Background()
		if _, err := f.Publish(ctx, screen.Version{ID: "post_c"}); err != nil {
			t.Fatal(err)
		}
		f.posts = append(f.posts, scheduled("post_z", "By someone else", time.Hour))
		f.posts[0].Status = schedctl.Published
		for i, id := range []string{"post_c", "post_z", "post_a", "post_gone"} {
			d.send(tui.Happened(event(fmt.Sprint(i), id)))
		}
		d.sees("◐ Tomorrow's post", "13:00 ○ By someone else")
		d.seesNot("Good morning")
	})
}

// The selection stays on its post when another post is inserted before it.
func TestTheSelectionStays(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down")
		d.sees("▌ 15:00 ○ The second")
		f.posts = append(f.posts, scheduled("post_z", "Earlier", time.Hour))
		d.send(tui.Happened(event("evt_1", "post_z")))
		d.sees("Earlier", "▌ 15:00 ○ The second")
	})
}

// Data that could not be read is read when the daemon is reachable again.
func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		f.fail("Posts", fmt.Errorf("nothing answers: %w", screen.ErrUnreachable))
		d := drive(t, f, 80, 24)
		d.sees("nothing answers")
		f.fail("Posts", nil)
		d.send(tui.Again())
		d.sees("Good morning")
	})
}

// many is a daemon with a long queue.
func many(n int) *fake {
	f := newFake()
	for i := range n {
		f.posts = append(f.posts, scheduled(fmt.Sprintf("post_%06d", i), fmt.Sprintf("Post number %d", i), time.Duration(i+1)*time.Minute))
	}
	return f
}

// Memory use does not grow with the number of posts, and scrolling shows each of
// them, down and up.
func TestPagesComeAndGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 1200
		d := drive(t, many(n), 80, 24)
		seen := 0
		for i := range n {
			if strings.Contains(d.model.View(), fmt.Sprintf("▌ %s ○ Post number %d ", now.Add(time.Duration(i+1)*time.Minute).Format("15:04"), i)) {
				seen++
			}
			d.press("down")
		}
		if seen != n {
			t.Errorf("%d of %d posts were seen", seen, n)
		}
		if kept := tui.Kept(d.model); kept > 800 {
			t.Errorf("%d posts are in memory", kept)
		}
		d.press("home")
		d.sees("▌ 12:01 ○ Post number 0")
		if kept := tui.Kept(d.model); kept > 800 {
			t.Errorf("%d posts are in memory", kept)
		}
	})
}

// For random messages in any order and size, nothing panics and nothing is drawn
// outside the terminal.
func TestRandomMessages(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { shake(t, world(), rand.New(rand.NewPCG(seed, 7))) })
		})
		t.Run(fmt.Sprint(seed, " with queues"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { shake(t, planned(), rand.New(rand.NewPCG(seed, 8))) })
		})
		t.Run(fmt.Sprint(seed, " with reviews"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { shake(t, reviewable(), rand.New(rand.NewPCG(seed, 9))) })
		})
	}
}

// strange are texts that are difficult to render.
var strange = []string{
	"", "\x1b[2J\x1b[31m", strings.Repeat("漢", 300), "👩‍👩‍👧‍👦🇩🇪", "a\u0301\u0301\u0301", "\u202e\u2066x", "\t\t\n\n\r", "\xff\xfe", strings.Repeat("x", 4000), "e\u200b\u200d",
}

func shake(t *testing.T, f *fake, r *rand.Rand) {
	for i, text := range strange {
		f.posts = append(f.posts, scheduled(fmt.Sprintf("post_s%d", i), text, time.Duration(i)*time.Hour))
	}
	width, height := 80, 24
	d := drive(t, f, width, height, func(c *tui.Config) { c.Plain = r.IntN(4) == 0 })
	all := append(tui.KeyNames(), "ctrl+s", "ctrl+t", "backspace", "a", "漢", "🎉", "\x00", "x", "y", "y", "esc", "esc", "enter")
	errs := []error{nil, nil, nil, schedctl.Errorf(schedctl.RateLimited, "", "slow down"), screen.ErrUnreachable, schedctl.Errorf(schedctl.VersionMismatch, "", "moved")}
	methods := []string{"Posts", "Post", "Edit", "Cancel", "Create", "Publish", "Retry", "Delete", "Schedule", "Timeline", "Validate", "Accounts", "Webhooks", "Deliveries",
		"Queues", "Queue", "QueueSlots", "OrderQueue", "PreviewReflow", "ReflowQueue", "Blackouts", "Series", "Occurrences", "SkipOccurrence", "EditSeries",
		"Submit", "Approve", "RequestChanges", "Withdraw", "Notes", "AddNote", "APIKeys"}
	for range 400 {
		switch r.IntN(12) {
		case 0:
			width, height = 1+r.IntN(200), r.IntN(60)
			d.send(tea.WindowSizeMsg{Width: width, Height: height})
		case 1:
			d.send(tui.Happened(event("evt", f.posts[r.IntN(len(f.posts))].ID)))
		case 2:
			f.fail(methods[r.IntN(len(methods))], errs[r.IntN(len(errs))])
		case 3:
			d.send(tui.Again())
		case 4:
			d.send(tui.Tick(now.Add(time.Duration(r.IntN(1000)) * time.Second)))
		case 5:
			d.holds = func(tea.Msg) bool { return r.IntN(2) == 0 }
		case 6:
			d.release()
		case 7:
			d.send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
		default:
			if name := all[r.IntN(len(all))]; name != "ctrl+c" {
				d.press(name)
			}
		}
		if measure(t, d.model.View(), width, height); t.Failed() || len(f.posts) == 0 {
			return
		}
	}
}

// The limits below human perception: a frame for a key, and a blink for the first
// page.
const (
	frame = 16 * time.Millisecond
	blink = 200 * time.Millisecond
)

// A key is visible within a frame, even with 100,000 posts in the queue, few of
// which are in memory.
func BenchmarkKeyToScreen(b *testing.B) {
	d := wide(b, lean{many(100_000)})
	for range 400 {
		d.press("G")
	}
	moves := []tea.KeyMsg{press("up"), press("pgup"), press("down"), press("pgdown")}
	i := 0
	for b.Loop() {
		d.model, _ = d.model.Update(moves[i%len(moves)])
		if i++; d.model.View() == "" {
			b.Fatal("nothing is drawn")
		}
	}
	if mean := b.Elapsed() / time.Duration(b.N); mean > frame {
		b.Errorf("%v for a key, want at most a frame (%v)", mean, frame)
	}
	if kept := tui.Kept(d.model); kept > 1000 {
		b.Errorf("%d posts are in memory", kept)
	}
}

// The first page is visible within a blink.
func BenchmarkFirstPaint(b *testing.B) {
	f := lean{many(100_000)}
	for b.Loop() {
		if screen := wide(b, f).model.View(); !strings.Contains(screen, "Post number 0") {
			b.Fatalf("the first post is missing:\n%s", screen)
		}
	}
	if mean := b.Elapsed() / time.Duration(b.N); mean > blink {
		b.Errorf("%v until the first page, want at most a blink (%v)", mean, blink)
	}
}

// wide returns a browser on a large screen without delays.
func wide(tb testing.TB, c screen.Client) *driver {
	cfg := tui.Config{Client: c, Zone: zone, Now: func() time.Time { return now }, Renderer: renderer(true)}
	d := &driver{t: tb, model: tui.New(context.Background(), cfg)}
	d.send(tea.WindowSizeMsg{Width: 99, Height: 60}) // in a wider terminal it would delay reading the details
	d.model, _ = d.model.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	return d
}

// lean pages through sorted posts without scanning them.
type lean struct{ *fake }

func (l lean) Posts(_ context.Context, q screen.Query) (apiv1.PostList, error) {
	if len(q.Statuses) == 0 || q.Statuses[0] != schedctl.Scheduled {
		return apiv1.PostList{}, nil
	}
	start := 0
	fmt.Sscan(q.Cursor, &start)
	end := min(len(l.posts), start+q.Limit)
	list := apiv1.PostList{Results: append([]apiv1.Post{}, l.posts[start:end]...), NextCursor: ptr(fmt.Sprint(end))}
	return list, nil
}

// What has no events, such as a new account, queue or pause of another client, appears
// within a minute while the daemon can be reached.
func TestChangesWithoutEventsAreShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := planned()
		d := drive(t, f, 120, 40)
		d.press("9")
		f.plan.queues[0].Name = "renamed elsewhere"
		f.accounts[0].Name = "renamed account"
		d.send(tui.Tick(now.Add(time.Minute)))
		d.sees("renamed elsewhere")
		d.press("7")
		d.sees("renamed account")
		f.plan.blackouts = append(f.plan.blackouts, blackout("blk_4", "fire drill", schedctl.BlackoutHold, now, time.Time{}))
		d.send(tui.Tick(now.Add(90 * time.Second)))
		d.seesNot("fire drill")
		d.send(tui.Tick(now.Add(2 * time.Minute)))
		d.sees("fire drill")
		d.send(tui.Broken(now.Add(time.Hour)))
		read := f.called("Accounts")
		d.send(tui.Tick(now.Add(10 * time.Minute)))
		if n := f.called("Accounts"); n != read {
			t.Errorf("accounts were read %d times without a connection", n-read)
		}
	})
}
