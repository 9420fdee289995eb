package deliver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// mediaThread returns a thread with a file in each part but the first.
func (r mediaRig) mediaThread(parts int, in time.Duration) schedctl.NewPost {
	n := threadOf(parts, r.account(schedctl.NewULID(time.Now()).String(), nil))
	for i := range n.Thread {
		n.Thread[i].Media = []schedctl.PostMedia{r.asset(string(rune('a' + i)))}
	}
	n.Now, n.PublishAt = false, time.Now().Add(in)
	return n
}

func TestFilesOfAllPartsArePreparedAhead(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnUpload = func(context.Context, int, publish.Request, publish.File) error {
			time.Sleep(10 * time.Second)
			return nil
		}
		r.start()
		p := r.create(r.mediaThread(5, 10*time.Minute))
		r.after(10*time.Minute - time.Second)
		if n := len(r.network.Uploads()); n != 4 {
			t.Errorf("%d uploads right before the time", n)
		}
		r.after(time.Second)
		target := r.wantThread(p)
		if late := target.PublishedAt.Sub(p.PublishAt); late > 50*time.Millisecond {
			t.Errorf("published %s late", late)
		}
		if n := len(r.network.Uploads()); n != 4 {
			t.Errorf("%d uploads", n)
		}
		for i, c := range r.wantCalls(5) {
			if len(c.Files) != len(p.PartFor(&p.Targets[0], i).Media) {
				t.Errorf("part %d has %d files", i, len(c.Files))
			}
		}
	})
}

// A file that the network refuses stops a thread before its first part.
func TestRefusedFileOfALaterPart(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		refused := r.mediaThread(5, 10*time.Minute)
		bad := r.source.assets[refused.Thread[2].Media[0].AssetID]
		r.network.OnUpload = func(_ context.Context, _ int, _ publish.Request, f publish.File) error {
			if f.AssetID == bad.ID {
				return publish.MediaError("bad", "not a picture")
			}
			return nil
		}
		r.start()
		p := r.create(refused)
		r.after(time.Hour)
		r.wantMediaFailure(p, "bad")
		if message := r.target(p).Error.Message; !strings.HasPrefix(message, "part 4: ") {
			t.Errorf("message %q", message)
		}
	})
}

// Uploads that the network loses between two parts are repeated.
func TestUploadsAreLostBetweenParts(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		p := r.create(r.mediaThread(3, 10*time.Minute))
		r.fake.OnCall(func(_ context.Context, c publish.Request) publishtest.Response {
			if c.Part == 1 {
				r.network.Lose()
			}
			return publishtest.Response{}
		})
		r.after(time.Hour)
		r.wantThread(p)
		if n := len(r.network.Uploads()); n != 3 {
			t.Errorf("%d uploads", n)
		}
	})
}

func TestFilesOfAThreadInOneRequest(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.fake.SetThreadRules(publish.ThreadRules{Whole: true})
		r.start()
		p := r.create(r.mediaThread(5, 10*time.Minute))
		r.after(time.Hour)
		r.wantThread(p)
		call := r.wantCalls(1)[0]
		if len(call.Files) != 0 {
			t.Errorf("%d files", len(call.Files))
		}
		for i, rest := range call.Rest {
			if len(rest.Files) != 1 || rest.Files[0].AssetID != p.Thread[i].Media[0].AssetID || rest.Files[0].Upload.ID == "" {
				t.Errorf("part %d: files %+v", i+1, rest.Files)
			}
		}
	})
}
