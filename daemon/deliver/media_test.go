package deliver_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// mediaSource is a source of files in memory.
type mediaSource struct {
	mu     sync.Mutex // mu guards the fields below
	assets map[string]schedctl.MediaAsset
	data   map[[32]byte][]byte
	fits   int
	open   int // fitted files that were not closed
	err    error
	onFit  func(ctx context.Context) error // runs before a file is fitted; may be nil
}

func (s *mediaSource) InUse(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.assets) > 0, s.err
}

func (s *mediaSource) Asset(_ context.Context, _, id string) (schedctl.MediaAsset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.assets[id]
	if !ok {
		return a, schedctl.Errorf(schedctl.NotFound, "", "no asset %s", id)
	}
	return a, s.err
}

func (s *mediaSource) Fit(ctx context.Context, a schedctl.MediaAsset, limits publish.ClassRules) (deliver.FittedFile, error) {
	if s.onFit != nil {
		if err := s.onFit(ctx); err != nil {
			return deliver.FittedFile{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data := s.data[a.SHA256]
	if sha256.Sum256(data) != a.SHA256 {
		return deliver.FittedFile{}, publish.MediaError("media_damaged", "the stored file is damaged")
	}
	if limits.MaxBytes > 0 {
		data = data[:min(int64(len(data)), limits.MaxBytes)]
	}
	s.fits++
	s.open++
	m := publish.Media{MIMEType: a.MIMEType, Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	if len(limits.Types) > 0 && !slices.Contains(limits.Types, a.MIMEType) {
		m.MIMEType = limits.Types[0]
	}
	return deliver.FittedFile{
		Media: m,
		Open:  func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		Close: func() { s.mu.Lock(); s.open--; s.mu.Unlock() },
	}, nil
}

func (s *mediaSource) Link(_ context.Context, a schedctl.MediaAsset, platform string) (string, error) {
	return "https://daemon.example/media/" + platform + a.ID, nil
}

// mediaRig is a rig whose network takes uploads.
type mediaRig struct {
	*rig
	network *publishtest.UploadingFake
	source  *mediaSource
}

// withMedia gives the rig files, which its tests store with asset.
func (r *rig) withMedia() mediaRig {
	source := &mediaSource{assets: map[string]schedctl.MediaAsset{}, data: map[[32]byte][]byte{}}
	r.config = func(c *deliver.Config) { c.Media = source }
	return mediaRig{rig: r, source: source}
}

func mediaBubble(t *testing.T, test func(mediaRig)) {
	t.Helper()
	bubble(t, func(r *rig) {
		network := publishtest.NewUploadingFake("fake")
		r.fake = network.Fake
		r.registry = publish.NewRegistry(network)
		files := r.withMedia()
		files.network = network
		test(files)
		r.kill()
		if n := files.source.open; n != 0 {
			t.Errorf("%d files were not released", n)
		}
	})
}

// asset stores a picture and returns it as media of a post.
func (r mediaRig) asset(name string) schedctl.PostMedia {
	return r.assetOf(name, "image/png")
}

func (r mediaRig) assetOf(name, mimeType string) schedctl.PostMedia {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	data := []byte(name + ": the bytes of a picture")
	a := schedctl.MediaAsset{
		ID: schedctl.NewID(schedctl.MediaPrefix, time.Now()), WorkspaceID: r.workspace, FileName: name, MIMEType: mimeType,
		Size: int64(len(data)), SHA256: sha256.Sum256(data), AltText: "alt of " + name, Status: schedctl.MediaReady,
	}
	r.source.assets[a.ID], r.source.data[a.SHA256] = a, data
	return schedctl.PostMedia{AssetID: a.ID, SHA256: a.SHA256, AltText: a.AltText, HasAltText: true}
}

func (r mediaRig) scheduleMedia(in time.Duration, media ...schedctl.PostMedia) schedctl.Post {
	r.Helper()
	return r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: media}, Accounts: []schedctl.Account{r.account(schedctl.NewULID(time.Now()).String(), nil)}, PublishAt: time.Now().Add(in)})
}

// wantPublished checks that the post is published once, with all its media.
func (r mediaRig) wantPublished(p schedctl.Post, attempts int) {
	r.Helper()
	r.wantStatus(p, schedctl.Published)
	if n := len(r.outcomes(p)); n != attempts {
		r.Errorf("%d attempts, want %d\n%s", n, attempts, r.logs.String())
	}
	calls := r.fake.Requests()
	last := calls[len(calls)-1]
	if len(last.Files) != len(p.Media) {
		r.Fatalf("%d files, want %d", len(last.Files), len(p.Media))
	}
	for i, f := range last.Files {
		if f.AssetID != p.Media[i].AssetID {
			r.Errorf("file %d is of %s, want %s", i, f.AssetID, p.Media[i].AssetID)
		}
	}
	for key, n := range r.fake.Posts() {
		if n != 1 {
			r.Errorf("%s was published %d times", key, n)
		}
	}
}

// wantMediaFailure checks that the post failed without a publishing request.
func (r mediaRig) wantMediaFailure(p schedctl.Post, code string) {
	r.Helper()
	r.wantCalls(0)
	if got := r.wantStatus(p, schedctl.Failed).Error; got.Kind != schedctl.KindMedia || got.Code != code || got.Outcome != no {
		r.Errorf("error %+v, want kind media, code %s, not published", got, code)
	}
}

func TestFilesAreReadyWhenThePostIsDue(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		started := time.Now()
		r.network.OnUpload = func(context.Context, int, publish.Request, publish.File) error {
			time.Sleep(20 * time.Second)
			return nil
		}
		r.network.OnProcessed = func(int, publish.Upload) (bool, error) { return time.Since(started) > time.Hour-time.Minute, nil }
		r.start()
		p := r.scheduleMedia(time.Hour, r.asset("a"), r.asset("b"))
		r.after(57 * time.Minute)
		if n := len(r.network.Uploads()); n != 0 {
			t.Errorf("%d uploads long before the time", n)
		}
		r.after(3*time.Minute - time.Second)
		if n := len(r.network.Uploads()); n != 2 {
			t.Errorf("%d uploads right before the time", n)
		}
		r.wantCalls(0)
		r.after(2 * time.Second)
		r.wantPublished(p, 1)
		if late := r.target(p).PublishedAt.Sub(p.PublishAt); late > 50*time.Millisecond {
			t.Errorf("published %s late", late)
		}
		if n := len(r.network.Uploads()); n != 2 {
			t.Errorf("%d uploads", n)
		}
	})
}

func TestVideosStartEarlier(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		p := r.scheduleMedia(time.Hour, r.assetOf("film", "video/mp4"))
		r.after(46 * time.Minute)
		if n := len(r.network.Uploads()); n != 1 {
			t.Errorf("%d uploads", n)
		}
		r.after(15 * time.Minute)
		r.wantPublished(p, 1)
	})
}

func TestFilesOfAPostThatIsDueAtOnce(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		polls := 0
		r.network.OnProcessed = func(int, publish.Upload) (bool, error) { polls++; return polls > 3, nil }
		r.start()
		p := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.asset("a")}}, Accounts: []schedctl.Account{r.account(schedctl.NewULID(time.Now()).String(), nil)}, Now: true})
		r.after(time.Minute)
		r.wantPublished(p, 1)
	})
}

func TestFailedUploads(t *testing.T) {
	for _, test := range []struct {
		name     string
		failures int // from the first on
		err      *publish.Error
		attempts int
		code     string // of the failure; empty if the post is published
	}{
		{"a refusal before the time", 1, &publish.Error{Kind: schedctl.KindMedia, Code: "bad", Message: "not a picture", Outcome: no}, 1, ""},
		{"a refusal at the time", 1000, &publish.Error{Kind: schedctl.KindMedia, Code: "bad", Message: "not a picture", Outcome: no}, 1, "bad"},
		{"an outage before the time", 3, &publish.Error{Kind: schedctl.KindNetwork, Message: "down", Outcome: maybe}, 1, ""},
		{"a longer outage", 10, &publish.Error{Kind: schedctl.KindNetwork, Message: "down", Outcome: maybe}, 0, ""},
		{"server errors", 8, &publish.Error{Kind: schedctl.KindPlatform, Message: "oops", HTTPStatus: 500, Outcome: maybe}, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.network.OnUpload = func(_ context.Context, n int, _ publish.Request, _ publish.File) error {
					if n <= test.failures {
						return test.err
					}
					return nil
				}
				r.start()
				p := r.scheduleMedia(10*time.Minute, r.asset("a"))
				r.after(4 * time.Hour)
				if test.code != "" {
					r.wantMediaFailure(p, test.code)
					return
				}
				attempts := test.attempts
				if attempts == 0 {
					attempts = len(r.outcomes(p))
				}
				r.wantPublished(p, attempts)
				for _, outcome := range r.outcomes(p)[:attempts-1] {
					if outcome != no {
						t.Errorf("an attempt that only uploaded has the outcome %s", outcome)
					}
				}
			})
		})
	}
}

func TestProcessingFails(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnProcessed = func(int, publish.Upload) (bool, error) {
			return false, publish.MediaError("processing_failed", "the server cannot process the file")
		}
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(time.Hour)
		r.wantMediaFailure(p, "processing_failed")
	})
}

func TestProcessingNeverEnds(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnProcessed = func(int, publish.Upload) (bool, error) { return false, nil }
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(10 * time.Hour)
		r.wantCalls(0)
		if got := r.wantStatus(p, schedctl.Failed).Error; got.Code != "processing" || got.Outcome != no {
			t.Errorf("error %+v", got)
		}
	})
}

func TestLostUploadsAreRepeated(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"), r.asset("b"))
		r.after(9*time.Minute + 50*time.Second)
		r.network.Lose()
		r.after(time.Minute)
		r.wantPublished(p, 1)
		if n := len(r.network.Uploads()); n != 4 {
			t.Errorf("%d uploads, want each twice", n)
		}
	})
}

func TestStaleUploadsAreRenewed(t *testing.T) {
	for _, life := range []time.Duration{time.Minute, 90 * time.Second} {
		t.Run(life.String(), func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.network.Life = life
				r.start()
				p := r.scheduleMedia(10*time.Minute, r.asset("a"))
				r.after(11 * time.Minute)
				r.wantPublished(p, 1)
				if late := r.target(p).PublishedAt.Sub(p.PublishAt); late > 50*time.Millisecond {
					t.Errorf("published %s late", late)
				}
			})
		})
	}
}

func TestUploadsThatLiveShortly(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.Rules.UploadLife, r.network.Life = 2*time.Minute, 2*time.Minute
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(11 * time.Minute)
		r.wantPublished(p, 1)
		if uploads := r.network.Uploads(); len(uploads) != 1 || p.PublishAt.Sub(uploads[0].At) > time.Minute {
			t.Errorf("uploads %v", uploads)
		}
	})
}

func TestSmallerPictures(t *testing.T) {
	for _, limit := range []int64{0, 10} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.network.OnUpload = func(_ context.Context, _ int, _ publish.Request, f publish.File) error {
					if f.Size > 10 {
						return &publish.Error{Kind: schedctl.KindMedia, Code: publish.CodeFileTooLarge, Message: "too large", MaxBytes: limit, Outcome: no}
					}
					return nil
				}
				r.start()
				p := r.scheduleMedia(10*time.Minute, r.asset("a"))
				r.after(11 * time.Minute)
				r.wantPublished(p, 1)
			})
		})
	}
}

func TestVideosAreNotMadeSmaller(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnUpload = func(context.Context, int, publish.Request, publish.File) error {
			return &publish.Error{Kind: schedctl.KindMedia, Code: publish.CodeFileTooLarge, Message: "too large", Outcome: no}
		}
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.assetOf("film", "video/mp4"))
		r.after(time.Hour)
		r.wantMediaFailure(p, publish.CodeFileTooLarge)
	})
}

func TestUnusableMedia(t *testing.T) {
	for code, spoil := range map[string]func(*mediaSource, string){
		"media_missing":   func(s *mediaSource, id string) { delete(s.assets, id) },
		"media_damaged":   func(s *mediaSource, id string) { s.data[s.assets[id].SHA256] = []byte("other bytes") },
		"media_changed":   func(s *mediaSource, id string) { a := s.assets[id]; a.SHA256 = [32]byte{1}; s.assets[id] = a },
		"media_not_ready": func(s *mediaSource, id string) { a := s.assets[id]; a.Status = schedctl.MediaPending; s.assets[id] = a },
		"unsupported":     func(s *mediaSource, id string) { a := s.assets[id]; a.MIMEType = "application/pdf"; s.assets[id] = a },
	} {
		t.Run(code, func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.start()
				m := r.asset("a")
				p := r.scheduleMedia(10*time.Minute, m, r.asset("b"))
				r.source.mu.Lock()
				spoil(r.source, m.AssetID)
				r.source.mu.Unlock()
				r.after(time.Hour)
				r.wantMediaFailure(p, code)
			})
		})
	}
}

func TestTooManyFiles(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		var media []schedctl.PostMedia
		for i := range 5 {
			media = append(media, r.asset(fmt.Sprint(i)))
		}
		p := r.scheduleMedia(10*time.Minute, media...)
		r.after(time.Hour)
		r.wantMediaFailure(p, "media")
	})
}

func TestMediaWithoutAPublisherForThem(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.registry = publish.NewRegistry(r.fake)
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(time.Hour)
		r.wantMediaFailure(p, "unsupported")
	})
}

// A post is published with its own alt text, whatever becomes of that of the asset.
func TestAltTextOfTheAssetChanges(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		m := r.asset("a")
		p := r.scheduleMedia(10*time.Minute, m)
		r.after(9*time.Minute + 55*time.Second)
		r.source.mu.Lock()
		a := r.source.assets[m.AssetID]
		a.AltText = "better words"
		r.source.assets[m.AssetID] = a
		r.source.mu.Unlock()
		r.after(time.Minute)
		r.wantPublished(p, 1)
		calls := r.fake.Requests()
		if got := calls[len(calls)-1].Files[0].AltText; got != "alt of a" {
			t.Errorf("alt text %q", got)
		}
	})
}

func TestFilesOfCanceledPostsAreReleased(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		canceled, moved := r.scheduleMedia(10*time.Minute, r.asset("a")), r.scheduleMedia(10*time.Minute, r.asset("b"))
		r.after(9 * time.Minute)
		r.cancel(canceled.ID)
		r.reschedule(moved.ID, 24*time.Hour)
		r.after(time.Minute)
		r.source.mu.Lock()
		open := r.source.open
		r.source.mu.Unlock()
		if open != 0 {
			t.Errorf("%d files are still held", open)
		}
		r.wantCalls(0)
	})
}

func TestRestartBetweenUploadAndPost(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(9*time.Minute + 30*time.Second)
		r.kill()
		r.start()
		r.after(time.Minute)
		r.wantPublished(p, 1)
		if n := len(r.network.Uploads()); n != 2 {
			t.Errorf("%d uploads", n)
		}
	})
}

// A daemon that stops during an upload has published nothing, and says so.
func TestStopDuringAnUpload(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		slow := true
		r.network.OnUpload = func(ctx context.Context, _ int, _ publish.Request, _ publish.File) error {
			if slow {
				<-ctx.Done()
				return &publish.Error{Kind: schedctl.KindNetwork, Message: "canceled", Outcome: maybe}
			}
			return nil
		}
		r.start()
		p := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.asset("a")}}, Accounts: []schedctl.Account{r.account(schedctl.NewULID(time.Now()).String(), nil)}, Now: true})
		r.after(time.Second)
		r.kill()
		slow = false
		if got := r.outcomes(p); len(got) != 1 || got[0] != no {
			t.Fatalf("outcomes %v, want one that did not publish", got)
		}
		r.start()
		r.after(time.Minute)
		r.wantPublished(p, 2)
	})
}

func TestUploadsUseTheSession(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnUpload = func(_ context.Context, n int, r publish.Request, _ publish.File) error {
			if r.Credentials["token"] != token {
				return &publish.Error{Kind: schedctl.KindAuth, Message: "no session", Outcome: no}
			}
			if r.Attempt != 0 || r.Key != "" || len(r.Files) != 0 {
				return publish.MediaError("request", "attempt %d, key %q, %d files", r.Attempt, r.Key, len(r.Files))
			}
			return nil
		}
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(11 * time.Minute)
		r.wantPublished(p, 1)
	})
}

// A post that is canceled while its files are uploaded is not published.
func TestCancelDuringAnUpload(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnUpload = func(context.Context, int, publish.Request, publish.File) error {
			time.Sleep(20 * time.Second)
			return nil
		}
		r.start()
		p := r.create(schedctl.NewPost{
			Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.asset("a")}}, Accounts: []schedctl.Account{r.account("me", nil)}, Now: true,
		})
		r.after(10 * time.Second)
		r.cancel(p.ID)
		r.after(time.Minute)
		r.wantCalls(0)
		if got := r.wantStatus(p, schedctl.Canceled); got.Error != nil {
			t.Errorf("error %+v", got.Error)
		}
	})
}

// Networks that fetch files get links. Their files are not prepared.
func TestFetchedFiles(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		fetching := fetchingFake{r.fake}
		r.registry = publish.NewRegistry(fetching)
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("a"))
		r.after(11 * time.Minute)
		r.wantPublished(p, 1)
		if f := r.fake.Requests()[0].Files[0]; f.URL != "https://daemon.example/media/"+p.Media[0].AssetID || f.Open != nil || f.AltText == "" {
			t.Errorf("file %+v", f)
		}
	})
}

type fetchingFake struct{ *publishtest.Fake }

func (fetchingFake) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{Fetched: true, Classes: map[schedctl.MediaClass]publish.ClassRules{schedctl.MediaImage: {}}}
}

// TestManyPostsArePreparedAhead guards that a free slot is used at once: many posts that
// are due at the same time are all prepared before.
func TestManyPostsArePreparedAhead(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		const posts = 60
		uploads := atomic.Int64{}
		r.network.OnUpload = func(ctx context.Context, _ int, _ publish.Request, _ publish.File) error {
			time.Sleep(time.Second)
			uploads.Add(1)
			return nil
		}
		media := []schedctl.PostMedia{r.asset("a")}
		for i := range posts {
			r.create(schedctl.NewPost{
				Content: schedctl.Content{Text: secret, Media: media}, PublishAt: time.Now().Add(2 * time.Minute),
				Accounts: []schedctl.Account{r.account(fmt.Sprint("account ", i), nil)},
			})
		}
		r.start()
		r.after(100 * time.Second)
		if n := uploads.Load(); n != posts {
			t.Errorf("%d of %d files were uploaded ahead", n, posts)
		}
	})
}

// The files of a post that is due soon are prepared at once: when it is scheduled, when its
// time moves, and when it gets a file while its time stays.
func TestFilesOfAPostThatIsDueSoon(t *testing.T) {
	for _, way := range []string{"scheduled", "moved", "edited"} {
		t.Run(way, func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				r.asset("other") // so that files are in use
				r.start()
				r.after(3 * time.Second)
				var p schedctl.Post
				within := 1500 * time.Millisecond
				switch way {
				case "scheduled":
					p = r.scheduleMedia(15*time.Second, r.asset("a"))
				case "moved":
					p = r.scheduleMedia(time.Hour, r.asset("a"))
					r.after(12 * time.Second)
					r.reschedule(p.ID, 15*time.Second)
				case "edited":
					p = r.scheduleMedia(25 * time.Second)
					r.after(12 * time.Second)
					media := []schedctl.PostMedia{r.asset("a")}
					r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
						p.Media = media
						return nil, nil
					})
					within = 6 * time.Second
				}
				r.after(within)
				if n := len(r.network.Uploads()); n != 1 {
					t.Errorf("%d uploads, want one before the post is due", n)
				}
				r.after(30 * time.Second)
				r.wantStatus(p, schedctl.Published)
			})
		})
	}
}
