package deliver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A host for uploads that refuses a file for a while delays that post only. One that always
// refuses it fails that post only. The account is never held.
func TestUploadHostRefuses(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		for name, times := range map[string]int{"twice": 2, "always": 100} {
			t.Run(http.StatusText(status)+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { testUploadHost(t, status, times) })
			})
		}
	}
}

func testUploadHost(t *testing.T, status, times int) {
	n := newRefusingNetwork(networks.Named("linkedin, person"))
	fake := publishtest.NewFakeLinkedIn()
	fake.Person = "alice"
	n.Handler = fake
	refused := 0
	n.refuse = func(r *http.Request, _ int) *publishtest.Recorded {
		if !strings.Contains(r.URL.Path, "/dms-uploads/") || refused == times {
			return nil
		}
		refused++
		return &publishtest.Recorded{Status: status, Body: `{"error":"the address has expired"}`}
	}
	wire := newWire(n)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	n.files = r.withMedia()
	a := r.connect(n.platform, wire.client)
	r.start()
	first := r.create(refusedCall{purpose: publish.PurposeFile}.post(n, a))
	r.after(time.Second)
	second := r.newPost(n, a, "the second post")
	r.after(5 * time.Second)
	r.wantStatus(second, schedctl.Published)
	r.after(5 * time.Hour)
	want := schedctl.Published
	if times > 2 {
		want = schedctl.Failed
	}
	if target := r.wantStatus(first, want); want == schedctl.Failed && (target.Error.Kind != schedctl.KindMedia || target.Error.Code != publish.CodeUploadRefused || target.Error.Outcome != no) {
		t.Errorf("error %+v", target.Error)
	}
	if refused < 2 {
		t.Errorf("%d uploads were refused", refused)
	}
	if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
		t.Errorf("the account is held for %+v", got.Error)
	}
}

// The daily limit of videos delays posts with a video, and no other post of the account.
func TestLimitOfVideosDelaysOnlyVideos(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		until := time.Now().Add(5 * time.Hour)
		r.network.OnUpload = func(context.Context, int, publish.Request, publish.File) error {
			if time.Now().Before(until) {
				return &publish.Error{Kind: schedctl.KindRateLimited, Code: publish.CodeVideoLimit, RetryAt: until, Outcome: no, Message: "no more videos today"}
			}
			return nil
		}
		r.start()
		a := r.account("me", nil)
		video := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.assetOf("film", "video/mp4")}}, Accounts: []schedctl.Account{a}, Now: true})
		ahead := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.assetOf("later film", "video/mp4")}}, Accounts: []schedctl.Account{a}, PublishAt: time.Now().Add(10 * time.Minute)})
		r.after(time.Minute)
		text := r.publishNow(a)
		r.after(time.Minute)
		r.wantStatus(text, schedctl.Published)
		r.after(4*time.Hour + 50*time.Minute)
		r.wantStatus(video, schedctl.Publishing)
		r.after(10 * time.Minute)
		for _, p := range []schedctl.Post{video, ahead} {
			if target := r.wantStatus(p, schedctl.Published); target.Tries()-target.Unreached != 1 {
				t.Errorf("%d of %d attempts count as tries", target.Tries()-target.Unreached, target.Tries())
			}
		}
	})
}
