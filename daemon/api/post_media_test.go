package api_test

import (
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// mediaIDs returns the ids of the media of a post.
func mediaIDs(media []apiv1.PostMedia) (ids []string) {
	for _, m := range media {
		ids = append(ids, m.ID)
	}
	return ids
}

// hasMedia fails the test unless these are the media.
func hasMedia(t *testing.T, what string, media []apiv1.PostMedia, want ...string) {
	t.Helper()
	got := mediaIDs(media)
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = got[i] == want[i]
	}
	if !same {
		t.Errorf("%s: the media are %q, want %q", what, got, want)
	}
}

// withPictures runs a test on a network that takes files.
func withPictures(t *testing.T, test func(*testing.T, *fixture)) {
	t.Helper()
	test(t, newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Publishers = publish.NewRegistry(publishtest.NewUploadingFake("fake"))
	}))
}

func TestEditMediaOfPosts(t *testing.T) {
	t.Parallel()
	withPictures(t, func(t *testing.T, f *fixture) {
		one, two := f.upload(mediatest.PNG(1, 2)).ID, f.upload(mediatest.PNG(2, 1)).ID
		p := f.create(body{"content": "x", "media_asset_ids": []string{one}, "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
		edit := func(b body) apiv1.Post {
			t.Helper()
			f.do(nil, "PATCH", "/posts/"+p.ID, b).want(200)
			return f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
		}
		hasMedia(t, "another field", edit(body{"content": "y"}).Media, one)
		swapped := edit(body{"media": []body{{"id": two, "alt_text": "for this post"}, {"id": one}}})
		hasMedia(t, "replaced", swapped.Media, two, one)
		if alt := swapped.Media[0].AltText; alt == nil || *alt != "for this post" {
			t.Errorf("the alt text is %v", alt)
		}
		if a := f.asset(two); a.AltText != nil || a.ExpiresAt != nil {
			t.Errorf("the asset is %+v", a)
		}
		f.do(nil, "DELETE", "/media/"+two, nil).refused(schedctl.MediaInUse)
		hasMedia(t, "short form", edit(body{"media_asset_ids": []string{one}}).Media, one)
		f.do(nil, "DELETE", "/media/"+two, nil).want(204)
		hasMedia(t, "removed", edit(body{"media": []body{}}).Media)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"content": ""}).refused(schedctl.ValidationFailed)
		hasMedia(t, "only media", edit(body{"content": "", "media": []body{{"id": one}}}).Media, one)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"media": []body{}}).refused(schedctl.ValidationFailed)
		pending := f.announce(mediatest.PNG(7, 7)).MediaAsset.ID
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"media_asset_ids": []string{pending}}).refused(schedctl.MediaNotReady)
		f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
		f.do(nil, "DELETE", "/media/"+one, nil).want(204)
	})
}

func TestOverridesWithMedia(t *testing.T) {
	t.Parallel()
	withPictures(t, func(t *testing.T, f *fixture) {
		second := f.newAccount(f.mine, "second")
		one, two := f.upload(mediatest.PNG(1, 2)).ID, f.upload(mediatest.PNG(2, 1)).ID
		other := func(account string, media any) body { return body{"social_account_id": account, "media": media} }
		p := f.create(body{
			"content": "x", "media_asset_ids": []string{one}, "social_account_ids": []string{f.mine.account, second}, "publish_at": in(time.Hour),
			"target_overrides": []body{other(second, []body{{"id": two, "alt_text": "theirs"}})},
		})
		if len(p.TargetOverrides) != 1 || p.TargetOverrides[0].Media == nil {
			t.Fatalf("the overrides are %+v", p.TargetOverrides)
		}
		hasMedia(t, "the post", p.Media, one)
		hasMedia(t, "the override", *p.TargetOverrides[0].Media, two)
		f.do(nil, "DELETE", "/media/"+two, nil).refused(schedctl.MediaInUse)
		edit := func(overrides ...body) []apiv1.Override {
			t.Helper()
			return f.do(nil, "PATCH", "/posts/"+p.ID, body{"target_overrides": overrides}).want(200).post().TargetOverrides
		}
		none := edit(other(second, []body{}))
		if len(none) != 1 || none[0].Media == nil || len(*none[0].Media) != 0 {
			t.Errorf("an empty list becomes %+v", none)
		}
		f.do(nil, "DELETE", "/media/"+two, nil).want(204)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"target_overrides": []body{other(second, []body{{"id": two}})}}).refused(schedctl.ValidationFailed)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"target_overrides": []body{other(second, []body{{"id": one}, {"id": one}})}}).refused(schedctl.ValidationFailed)
	})
}

// The same text with another file is another post; the same bytes are the same file.
func TestDuplicatesWithMedia(t *testing.T) {
	t.Parallel()
	withPictures(t, func(t *testing.T, f *fixture) {
		f.guarded()
		file := mediatest.PNG(1, 2)
		one, two := f.upload(file).ID, f.upload(mediatest.PNG(2, 1)).ID
		up := f.announce(file)
		f.do(nil, "PUT", up.path(), file).want(204)
		f.do(nil, "POST", "/media/"+up.MediaAsset.ID+"/confirm-upload", nil).want(200)
		with := func(after time.Duration, ids ...string) body {
			b := f.planned("same", after)
			b["media_asset_ids"] = ids
			return b
		}
		f.create(with(48*time.Hour, one))
		f.create(with(48*time.Hour, two))
		f.create(with(48*time.Hour, one, two))
		f.create(f.planned("same", 48*time.Hour))
		f.do(nil, "POST", "/posts", with(49*time.Hour, one)).refused(schedctl.DuplicateContent)
		f.do(nil, "POST", "/posts", with(49*time.Hour, up.MediaAsset.ID)).refused(schedctl.DuplicateContent)
		f.do(nil, "POST", "/posts", with(49*time.Hour, one, two)).refused(schedctl.DuplicateContent)
	})
}

func TestMediaPerPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var ids []string
	for i := range 21 {
		ids = append(ids, f.upload(mediatest.PNG(i+1, 1)).ID)
	}
	f.do(nil, "POST", "/posts", body{"content": "x", "media_asset_ids": ids}).refused(schedctl.ValidationFailed)
	f.create(body{"content": "x", "media_asset_ids": ids[:20]})
	long := make([]byte, schedctl.MaxAltText+1)
	for i := range long {
		long[i] = 'a'
	}
	f.do(nil, "PATCH", "/media/"+ids[0], body{"alt_text": string(long)}).refused(schedctl.ValidationFailed)
	f.do(nil, "PATCH", "/media/"+ids[0], body{"alt_text": string(long[1:])}).want(200)
}

// TestValidateUnknownImageOfCard guards that a card with an image that the workspace does not
// have is a problem of the post, and not an internal error.
func TestValidateUnknownImageOfCard(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.planned("hello", time.Hour)
	b["link_preview"] = body{"url": "https://example.com/", "title": "t", "image": schedctl.NewID(schedctl.MediaPrefix, time.Now())}
	if found := problemFields(f.validate(b).Problems); !slices.Contains(found, "VALIDATION_FAILED link_preview.image") {
		t.Errorf("problems %q", found)
	}
}
