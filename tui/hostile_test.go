package tui_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/printable"
	"github.com/schedctl/schedctl/tui/screen"
)

// evil has everything that a terminal obeys.
const evil = "\x1b[31;44;5mevil\x1b]0;t\a\x1bPq\x1b\\\u009b2J\u202e\b\r\x00\nx"

// hostile is a daemon that adds evil to the texts of its responses.
type hostile struct {
	*fake
	spare *regexp.Regexp // texts that stay as they are
}

// spoiled returns a response with evil.
func spoiled[T any](h hostile, v T, err error) (T, error) {
	if err != nil {
		return v, errors.New(err.Error() + evil)
	}
	var document any
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		panic(err)
	}
	var out T
	if text, err = json.Marshal(h.spoil(document)); err != nil || json.Unmarshal(text, &out) != nil {
		return v, nil
	}
	return out, nil
}

func (h hostile) spoil(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = h.spoil(v[name])
		}
	case []any:
		for i := range v {
			v[i] = h.spoil(v[i])
		}
	case string:
		if _, err := time.Parse(time.RFC3339, v); err != nil && !h.spare.MatchString(v) {
			return v + evil
		}
	}
	return v
}

// asked returns what a request would be without evil.
func asked(text string) string { return strings.ReplaceAll(text, evil, "") }

func (h hostile) Accounts(ctx context.Context) ([]apiv1.Account, error) {
	v, err := h.fake.Accounts(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Platforms(ctx context.Context) (map[string]apiv1.PlatformEntry, error) {
	v, err := h.fake.Platforms(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Webhooks(ctx context.Context) ([]apiv1.Webhook, error) {
	v, err := h.fake.Webhooks(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Deliveries(ctx context.Context, id, cursor string) (apiv1.DeliveryList, error) {
	v, err := h.fake.Deliveries(ctx, asked(id), asked(cursor))
	return spoiled(h, v, err)
}

func (h hostile) Posts(ctx context.Context, q screen.Query) (apiv1.PostList, error) {
	q.QueueID, q.AccountID, q.Cursor = asked(q.QueueID), asked(q.AccountID), asked(q.Cursor)
	v, err := h.fake.Posts(ctx, q)
	return spoiled(h, v, err)
}

func (h hostile) Post(ctx context.Context, id string) (apiv1.Post, error) {
	v, err := h.fake.Post(ctx, asked(id))
	return spoiled(h, v, err)
}

func (h hostile) Timeline(ctx context.Context, id string) (apiv1.Timeline, error) {
	v, err := h.fake.Timeline(ctx, asked(id))
	return spoiled(h, v, err)
}

func (h hostile) Validate(ctx context.Context, id string, p apiv1.CreatePost) (apiv1.Validation, error) {
	v, err := h.fake.Validate(ctx, asked(id), p)
	return spoiled(h, v, err)
}

func (h hostile) Notes(ctx context.Context, id string) ([]apiv1.PostNote, error) {
	v, err := h.fake.Notes(ctx, asked(id))
	return spoiled(h, v, err)
}

func (h hostile) APIKeys(ctx context.Context) ([]apiv1.APIKey, error) {
	v, err := h.fake.APIKeys(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Queues(ctx context.Context) ([]apiv1.Queue, error) {
	v, err := h.fake.Queues(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Queue(ctx context.Context, id string) (apiv1.QueueEnvelope, error) {
	v, err := h.fake.Queue(ctx, asked(id))
	return spoiled(h, v, err)
}

func (h hostile) QueueSlots(ctx context.Context, id string, q screen.SlotQuery) ([]apiv1.QueueSlot, error) {
	q.AccountID = asked(q.AccountID)
	v, err := h.fake.QueueSlots(ctx, asked(id), q)
	return spoiled(h, v, err)
}

func (h hostile) PreviewReflow(ctx context.Context, id string) (apiv1.QueueMoves, error) {
	v, err := h.fake.PreviewReflow(ctx, asked(id))
	return spoiled(h, v, err)
}

func (h hostile) Blackouts(ctx context.Context) ([]apiv1.Blackout, error) {
	v, err := h.fake.Blackouts(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Series(ctx context.Context, id string) (apiv1.Series, error) {
	v, err := h.fake.Series(ctx, asked(id))
	return spoiled(h, v, err)
}

func (h hostile) PendingSeries(ctx context.Context) ([]apiv1.Series, error) {
	v, err := h.fake.PendingSeries(ctx)
	return spoiled(h, v, err)
}

func (h hostile) Occurrences(ctx context.Context, id string, after time.Time, limit int) ([]apiv1.Occurrence, error) {
	v, err := h.fake.Occurrences(ctx, asked(id), after, limit)
	return spoiled(h, v, err)
}

var (
	ownStyle = regexp.MustCompile("\x1b\\[[0-9;]*m")
	nothing  = regexp.MustCompile(`^\b$`)
	words    = regexp.MustCompile(`^[a-z_.]+$`)
	notWords = regexp.MustCompile(`[^a-z_.]`)
)

// TestNoScreenControlsATerminal guards that only styles of the program reach the terminal,
// and that no text from outside breaks a screen.
func TestNoScreenControlsATerminal(t *testing.T) {
	t.Parallel()
	for name, keys := range allViews() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached := false
			for what, spare := range map[string]*regexp.Regexp{"all texts": nothing, "words": notWords, "other texts": words} {
				for _, look := range looks {
					screen := drawHostile(t, hostile{keys.world(), spare}, look.change, keys.keys)
					measure(t, screen, 80, 24)
					if rest := ownStyle.ReplaceAllString(screen, ""); rest != printable.Clean(rest) || strings.Contains(rest, "\t") || strings.Contains(screen, evil[:10]) {
						t.Errorf("evil %s, %s: %q", what, look.name, screen)
					}
					reached = reached || strings.Contains(screen, "\ufffd[31;44")
				}
			}
			if !reached && !showsNothing[name] {
				t.Error("the screen shows nothing of the daemon")
			}
		})
	}
}

// showsNothing are the screens without a text of the daemon.
var showsNothing = map[string]bool{"help": true}

type hostileView struct {
	world func() *fake
	keys  []string
}

func allViews() map[string]hostileView {
	all := map[string]hostileView{}
	for _, v := range views {
		all[v.name] = hostileView{world, v.keys}
	}
	for _, v := range planViews {
		all[v.name] = hostileView{planned, v.keys}
	}
	for _, v := range reviewViews {
		all[v.name] = hostileView{reviewed, v.keys}
		all[fmt.Sprint(v.name, " of series")] = hostileView{withSeries, v.keys}
	}
	for name, keys := range map[string][]string{"media-detail": {"enter"}, "media-edit": {"i", "tab", "down"}, "media-alt": {"i", "tab", "enter"}} {
		all[name] = hostileView{gallery, keys}
	}
	for name, keys := range map[string][]string{"thread-detail": {"enter"}, "thread-edit": {"i"}, "thread-media": {"i", "tab", "down"}} {
		all[name] = hostileView{threads, keys}
	}
	return all
}

func drawHostile(t *testing.T, h hostile, change func(*tui.Config), keys []string) (screen string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, h, 80, 24, change)
		d.press(keys...)
		screen = d.model.View()
	})
	return screen
}
