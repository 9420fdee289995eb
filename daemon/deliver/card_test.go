package deliver_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// cardFake is a network that shows link cards.
type cardFake struct{ *publishtest.UploadingFake }

func (cardFake) CardImageRules(schedctl.Account) publish.ClassRules {
	return publish.ClassRules{MaxBytes: 7}
}

// fetchingCardFake is a network that shows link cards and fetches files.
type fetchingCardFake struct{ fetchingFake }

func (fetchingCardFake) CardImageRules(schedctl.Account) publish.ClassRules {
	return publish.ClassRules{}
}

// scheduleCard schedules a post with a link card and media.
func (r mediaRig) scheduleCard(image schedctl.PostMedia, media ...schedctl.PostMedia) schedctl.Post {
	r.Helper()
	image.AltText = "" // of a card
	return r.create(schedctl.NewPost{
		Content: schedctl.Content{Text: secret, Media: media, LinkPreview: schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com", Title: "T", Image: image}}, Accounts: []schedctl.Account{r.account("with cards", nil)}, PublishAt: time.Now().Add(time.Minute),
	})
}

// TestPostsOfAgentsFetchPublic guards that what a network fetches for a post of an agent,
// such as the page of a link card, comes from public addresses.
func TestPostsOfAgentsFetchPublic(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		public, writer := map[string]bool{}, schedctl.NewID(schedctl.KeyPrefix, time.Now())
		r.fake.OnCall(func(ctx context.Context, q publish.Request) publishtest.Response {
			public[q.Content] = publish.FetchesPublic(ctx)
			return publishtest.Response{}
		})
		r.start()
		account := r.account("for both", nil)
		for text, by := range map[string]schedctl.Actor{"agent": {Key: schedctl.KeyRef{ID: writer}, Agent: true}, "person": {Key: schedctl.KeyRef{ID: writer}}} {
			r.create(schedctl.NewPost{Content: schedctl.Content{Text: text}, Accounts: []schedctl.Account{account}, PublishAt: time.Now().Add(time.Minute), By: by})
		}
		r.after(2 * time.Minute)
		if len(public) != 2 || !public["agent"] || public["person"] {
			t.Errorf("fetches are limited to public addresses: %v", public)
		}
	})
}

func TestThePictureOfACard(t *testing.T) { testCardPicture(t, false) }

func TestThePictureOfACardWithMedia(t *testing.T) { testCardPicture(t, true) }

func testCardPicture(t *testing.T, withMedia bool) {
	mediaBubble(t, func(r mediaRig) {
		r.registry = publish.NewRegistry(cardFake{r.network})
		var data []byte
		r.fake.OnCall(func(ctx context.Context, q publish.Request) publishtest.Response {
			if f, err := q.CardImage.Open(ctx); err == nil {
				data, _ = io.ReadAll(f)
			}
			return publishtest.Response{}
		})
		r.start()
		image, media := r.asset("a"), []schedctl.PostMedia(nil)
		if withMedia {
			media = append(media, r.asset("b"))
		}
		p := r.scheduleCard(image, media...)
		r.after(2 * time.Minute)
		r.wantPublished(p, 1)
		if q := r.fake.Requests()[0]; q.CardImage.AssetID != image.AssetID || string(data) != "a: the " || q.CardImage.AltText != "" || len(q.Files) != len(media) {
			r.Errorf("got %+v, %q", q.CardImage, data)
		}
	})
}

func TestThePictureOfACardIsMissing(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.registry = publish.NewRegistry(cardFake{r.network})
		r.start()
		image := r.asset("a")
		p := r.scheduleCard(image)
		r.source.mu.Lock()
		delete(r.source.assets, image.AssetID)
		r.source.mu.Unlock()
		r.after(time.Hour)
		r.wantMediaFailure(p, "media_missing")
		if e := r.wantStatus(p, schedctl.Failed).Error; !strings.HasPrefix(e.Message, "the picture of the link card: ") {
			t.Errorf("message %q", e.Message)
		}
	})
}

// Networks that fetch files get the link of the picture.
func TestFetchedPicturesOfCards(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.registry = publish.NewRegistry(fetchingCardFake{fetchingFake{r.fake}})
		r.start()
		p := r.scheduleCard(r.asset("a"))
		r.after(2 * time.Minute)
		r.wantPublished(p, 1)
		if f := r.fake.Requests()[0].CardImage; !strings.HasPrefix(f.URL, "https://daemon.example/media/med_") || f.Open != nil {
			t.Errorf("got %+v", f)
		}
	})
}

// Networks that show no cards get no picture.
func TestNetworksWithoutCards(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		p := r.scheduleCard(r.asset("a"))
		r.after(2 * time.Minute)
		r.wantPublished(p, 1)
		if slices.ContainsFunc(r.fake.Requests(), func(q publish.Request) bool { return q.CardImage != nil }) {
			t.Error("a network without cards got a picture")
		}
	})
}
