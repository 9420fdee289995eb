package instagram_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/instagram"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Stager         = (*instagram.Publisher)(nil)
	_ publish.PromptFinder   = (*instagram.Publisher)(nil)
	_ publish.ContentFinder  = (*instagram.Publisher)(nil)
	_ publish.Renewer        = (*instagram.Publisher)(nil)
	_ publish.MediaPublisher = (*instagram.Publisher)(nil)
	_ publish.AddressNeeder  = (*instagram.Publisher)(nil)
)

const (
	text      = "text of the post that no error may contain"
	publicURL = "https://daemon.example"
	userID    = "17841400000000001"
)

var (
	image = publish.File{Media: publish.Media{MIMEType: "image/jpeg", AltText: "a cat that no error may contain"}, URL: publicURL + "/1.jpg"}
	video = publish.File{Media: publish.Media{MIMEType: "video/mp4"}, URL: publicURL + "/2.mp4"}
)

func fake() *publishtest.FakeContainers {
	return &publishtest.FakeContainers{API: publishtest.InstagramAPI}
}

// start returns a publisher and a request with a picture for a server.
func start(t *testing.T, handler http.Handler) (*instagram.Publisher, publish.Request) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p := instagram.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test", publicURL)
	return p, publish.Request{
		TargetID: publishtest.TargetID, Content: text, Kind: schedctl.PartPost, Files: []publish.File{image},
		Credentials: publish.Credentials{"access_token": "instagram-token", "api_url": server.URL},
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	p, r := start(t, fake())
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil {
		t.Fatal(err)
	}
	held, expiry := got.Credentials, got.Expiry
	got.Credentials, got.Expiry = nil, publish.Expiry{}
	want := publish.Profile{
		Username: "acme", DisplayName: "Acme", URL: "https://www.instagram.com/acme/", Identity: userID,
		Limits: schedctl.Limits{MaxCharacters: 2200, Unit: "characters", Posts: 100, Window: 24 * time.Hour},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := time.Until(expiry.At); !expiry.Assumed || left < 59*24*time.Hour || expiry.At.Sub(expiry.RenewAt) != 7*24*time.Hour || held["user_id"] != userID {
		t.Errorf("expiry %+v", expiry)
	}
	again, err := p.Connect(t.Context(), publish.Connection{Credentials: held})
	if err != nil || again.Credentials != nil || again.Expiry.At.Unix() != expiry.At.Unix() {
		t.Errorf("a later check: %+v, %v", again, err)
	}
	renewed, later, err := p.Renew(t.Context(), held)
	if err != nil || later.Assumed || renewed["access_token"] == "" || renewed["api_url"] != r.Credentials["api_url"] || renewed["user_id"] != userID || time.Until(later.At) < 59*24*time.Hour {
		t.Errorf("renewed: expiry %+v, %v", later, err)
	}
}

func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body, field string
		kind        schedctl.ErrorKind
	}{
		"expired token":    {publishtest.MetaError(190, 463, "expired"), "token_expired", schedctl.KindAuth},
		"revoked token":    {publishtest.MetaError(190, 460, "changed"), "token_revoked", schedctl.KindAuth},
		"missing scope":    {publishtest.MetaError(10, 0, "permission"), "missing_scope", schedctl.KindAuth},
		"another service":  {`{"hello":"world"}`, "api_url", schedctl.KindContent},
		"personal account": {`{"user_id":"17","username":"acme","account_type":"PERSONAL"}`, "access_token", schedctl.KindContent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.kind == schedctl.KindAuth {
					w.WriteHeader(http.StatusBadRequest)
				}
				w.Write([]byte(tt.body))
			}))
			_, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
			if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.field || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "instagram-token") {
				t.Errorf("error %+v", e)
			}
		})
	}
}

// TestConnectToList is for the response that the documentation shows.
func TestConnectToList(t *testing.T) {
	t.Parallel()
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"data":[{"user_id":"17","username":"acme"}]}`))
	}))
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil || got.Identity != "17" || got.Limits.Posts != 100 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := instagram.New(nil, outbound.PublicOnly, "test", publicURL)
	picture := []publish.Media{image.Media}
	for name, tt := range map[string]struct {
		content publish.Content
		codes   string
		warns   int
	}{
		"a picture":               {publish.Content{Media: picture}, "", 0},
		"a picture and a caption": {publish.Content{Text: strings.Repeat("é", 2200), Media: picture}, "", 0},
		"a long caption":          {publish.Content{Text: strings.Repeat("é", 2201), Media: picture}, "too_long", 0},
		"5 hashtags":              {publish.Content{Text: strings.Repeat("#größe ", 5) + "# #", Media: picture}, "", 0},
		"6 hashtags":              {publish.Content{Text: strings.Repeat("#größe ", 6), Media: picture}, "", 1},
		"30 hashtags":             {publish.Content{Text: strings.Repeat("#größe ", 30) + "# #", Media: picture}, "", 1},
		"31 hashtags":             {publish.Content{Text: strings.Repeat("#a", 31), Media: picture}, "hashtags", 0},
		"20 tags":                 {publish.Content{Text: strings.Repeat("@acme ", 20) + "@ @", Media: picture}, "", 0},
		"21 tags":                 {publish.Content{Text: strings.Repeat("@acme ", 21), Media: picture}, "mentions", 0},
		"text alone":              {publish.Content{Text: "words"}, "media", 0},
		"a short video":           {publish.Content{Media: []publish.Media{{MIMEType: "video/mp4", Duration: 2 * time.Second}}}, "media", 0},
		"a described video":       {publish.Content{Media: []publish.Media{{MIMEType: "video/mp4", AltText: "a dog"}}}, "", 1},
		"a part of a thread":      {publish.Content{Media: picture, Kind: schedctl.PartReply}, "thread", 0},
		"a first comment":         {publish.Content{Media: picture, Kind: schedctl.PartComment}, "first_comment", 0},
		"a content warning":       {publish.Content{Media: picture, Extras: publish.Extras{Presentation: schedctl.Presentation{ContentWarning: "loud"}}}, "content_warning", 0},
		"not public":              {publish.Content{Media: picture, Extras: publish.Extras{Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityFollowers}}}, "visibility", 0},
		"a language":              {publish.Content{Media: picture, Extras: publish.Extras{Presentation: schedctl.Presentation{Language: "de"}}}, "", 1},
	} {
		c := p.Check(schedctl.Account{}, tt.content)
		publish.CheckExtras(&c, p, schedctl.Account{}, tt.content)
		var codes []string
		for _, e := range c.Problems {
			codes = append(codes, e.Code)
		}
		if got := strings.Join(codes, " "); got != tt.codes || len(c.Warnings) != tt.warns {
			t.Errorf("%s: problems %q, warnings %q", name, got, c.Warnings)
		}
	}
}

func TestMediaRules(t *testing.T) {
	t.Parallel()
	p := instagram.New(nil, outbound.PublicOnly, "test", publicURL)
	picture := func(width, height int) publish.Media {
		return publish.Media{MIMEType: "image/jpeg", Size: 1000, Width: width, Height: height}
	}
	never := func(publish.Media, publish.ClassRules) bool { return false }
	png := picture(1080, 1080)
	png.MIMEType = "image/png"
	large := picture(1080, 1080)
	large.Size = 8<<20 + 1
	clip := publish.Media{MIMEType: "video/mp4", Duration: 16 * time.Minute}
	eleven := make([]publish.Media, 11)
	for i := range eleven {
		eleven[i] = picture(1080, 1080)
	}
	for name, tt := range map[string]struct {
		media []publish.Media
		fits  bool
	}{
		"a square":             {[]publish.Media{picture(1080, 1080)}, true},
		"4:5":                  {[]publish.Media{picture(1080, 1350)}, true},
		"1.91:1":               {[]publish.Media{picture(1080, 566)}, true},
		"3:4":                  {[]publish.Media{picture(1080, 1440)}, false},
		"2:1":                  {[]publish.Media{picture(1080, 540)}, false},
		"PNG":                  {[]publish.Media{png}, false},
		"more than 8 MB":       {[]publish.Media{large}, false},
		"a document":           {[]publish.Media{{MIMEType: "application/pdf"}}, false},
		"a long video":         {[]publish.Media{clip}, false},
		"ten pictures":         {eleven[:10], true},
		"eleven pictures":      {eleven, false},
		"a picture and a clip": {[]publish.Media{picture(1080, 1080), {MIMEType: "video/mp4"}}, true},
	} {
		var c publish.Check
		publish.CheckMedia(&c, p, schedctl.Account{}, tt.media, never)
		if (len(c.Problems) == 0) != tt.fits {
			t.Errorf("%s: %v", name, c.Err())
		}
	}
}

func TestWithoutPublicAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "http://127.0.0.1:8080", "http://posts.example"} {
		p := instagram.New(nil, outbound.PublicOnly, "test", address)
		c := p.Check(schedctl.Account{}, publish.Text("words"))
		publish.CheckMedia(&c, p, schedctl.Account{}, []publish.Media{image.Media}, nil)
		said := 0
		for _, e := range c.Problems {
			if strings.Contains(e.Message, "--public-url https://") {
				said++
			}
		}
		if said != 2 {
			t.Errorf("%q: %v", address, c.Problems)
		}
	}
	network := fake()
	p, r := start(t, network)
	r.Files = []publish.File{{Media: image.Media, URL: "http://127.0.0.1:8080/1.jpg"}}
	_, err := p.Stage(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || !strings.Contains(e.Message, "--public-url") || len(network.Containers()) != 0 {
		t.Errorf("error %+v", e)
	}
}

// TestContainers checks what each kind of post sends.
func TestContainers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files   []publish.File
		caption string
		want    []map[string]string
	}{
		"image": {[]publish.File{image}, text, []map[string]string{{"image_url": image.URL, "alt_text": image.AltText, "caption": text}}},
		"video": {[]publish.File{video}, "", []map[string]string{{"media_type": "REELS", "video_url": video.URL}}},
		"carousel": {[]publish.File{image, video}, text, []map[string]string{
			{"image_url": image.URL, "alt_text": image.AltText, "is_carousel_item": "true"},
			{"media_type": "VIDEO", "video_url": video.URL, "is_carousel_item": "true"},
			{"media_type": "CAROUSEL", "children": "18000000000001,18000000000002", "caption": text},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := fake()
			p, r := start(t, network)
			r.Files, r.Content = tt.files, tt.caption
			stage, err := p.Stage(t.Context(), r)
			for polls := 0; err == nil && !stage.Ready && polls < 10; polls++ {
				stage, err = p.Staged(t.Context(), r, stage)
			}
			if err != nil || !stage.Ready {
				t.Fatal(stage, err)
			}
			r.Stage, r.Attempt = stage.ID, 1
			receipt, err := p.Publish(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			posts := network.Posts()
			if len(posts) != 1 || receipt.ID != posts[0].ID || receipt.URL != "https://www.instagram.com/p/"+receipt.ID+"/" {
				t.Errorf("receipt %+v, posts %+v", receipt, posts)
			}
			found, ok, err := p.Find(t.Context(), r, time.Now().Add(-time.Minute))
			if diff := cmp.Diff(receipt, found); !ok || err != nil || diff != "" {
				t.Errorf("found %v, %v (-published +found):\n%s", ok, err, diff)
			}
			var sent []map[string]string
			for _, c := range network.Containers() {
				sent = append(sent, c.Form)
			}
			if diff := cmp.Diff(tt.want, sent); diff != "" {
				t.Errorf("(-want +sent):\n%s", diff)
			}
		})
	}
}

// TestCarouselWaits guards that a carousel is created only after its files are processed.
func TestCarouselWaits(t *testing.T) {
	t.Parallel()
	network := fake()
	network.Processing = time.Hour
	p, r := start(t, network)
	r.Files = []publish.File{image, image}
	stage, err := p.Stage(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Staged(t.Context(), r, stage)
	if err != nil || again != stage || len(network.Containers()) != 2 {
		t.Errorf("%+v after %+v, %v", again, stage, err)
	}
	r.Stage = stage.ID
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeStageLost || network.Calls() != 0 {
		t.Errorf("published the files of a carousel: %v", err)
	}
	network.Expire()
	if _, err := p.Staged(t.Context(), r, stage); publish.AsError(err).Code != publish.CodeStageLost {
		t.Errorf("expired files of a carousel: %v", err)
	}
}

// refuseStatus refuses to show containers, as a token without the permission to read them sees.
func refuseStatus(network http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("fields") == "status_code" {
			w.WriteHeader(http.StatusForbidden)
			w.Write([]byte(publishtest.MetaError(10, 0, "(#10) Application does not have permission for this action")))
			return
		}
		network.ServeHTTP(w, r)
	}
}

// TestCarouselOfUnknownStatus checks that a carousel is published, and is found later, if
// Instagram does not say whether it has processed the files.
func TestCarouselOfUnknownStatus(t *testing.T) {
	t.Parallel()
	network := fake()
	network.Processing = time.Hour
	p, r := start(t, refuseStatus(network))
	r.Files = []publish.File{image, image}
	stage, err := p.Stage(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := p.Staged(t.Context(), r, stage); err != nil || again != stage || len(network.Containers()) != 2 {
		t.Fatalf("while the files are processed: %+v, %v", again, err)
	}
	network.Processing = 0
	if stage, err = p.Staged(t.Context(), r, stage); err != nil || len(network.Containers()) != 3 {
		t.Fatalf("%+v, %v", stage, err)
	}
	if _, err := p.Staged(t.Context(), r, stage); publish.AsError(err).Code != publish.CodeNotKnown {
		t.Fatalf("the carousel: %v", err)
	}
	r.Stage = stage.ID
	if _, found, err := p.Find(t.Context(), r, time.Now()); found || err != nil {
		t.Errorf("before it is published: %t, %v", found, err)
	}
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got, found, err := p.Find(t.Context(), r, time.Now().Add(-time.Minute)); err != nil || !found || got.ID != receipt.ID {
		t.Errorf("found %+v, %t, %v; want %+v", got, found, err, receipt)
	}
}

// TestFindOther checks that Find returns no post of a different kind.
func TestFindOther(t *testing.T) {
	t.Parallel()
	network := fake()
	p, r := start(t, network)
	stage, err := p.Stage(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Stage = stage.ID
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Stage = "17999999999999" // an expired container
	since := time.Now().Add(-time.Minute)
	for name, change := range map[string]func(*publish.Request){
		"another caption": func(r *publish.Request) { r.Content = "other words" },
		"a video":         func(r *publish.Request) { r.Files = []publish.File{video} },
		"a carousel":      func(r *publish.Request) { r.Files = []publish.File{image, image} },
		"taken":           func(r *publish.Request) { r.Taken = func(string) (bool, error) { return true, nil } },
	} {
		other := r
		change(&other)
		if receipt, found, err := p.Find(t.Context(), other, since); found || err != nil {
			t.Errorf("%s: found %+v, %v", name, receipt, err)
		}
	}
	if _, found, err := p.Find(t.Context(), r, since); !found || err != nil {
		t.Errorf("the post itself: %v, %v", found, err)
	}
	if _, found, err := p.Find(t.Context(), r, time.Now().Add(time.Hour)); found || err != nil {
		t.Errorf("an older post: %v, %v", found, err)
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][]publish.File{"image": {image}, "carousel": {image, video}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var network *publishtest.FakeContainers
			publishtest.RunStages(t, publishtest.StageSuite{
				Start: func(t *testing.T) (publish.Stager, publish.Request) {
					network = fake()
					p, r := start(t, network)
					r.Files = files
					return p, r
				},
				Posts:   func() int { return len(network.Posts()) },
				Unknown: "17999999999999",
			})
		})
	}
}

func TestFieldsAreChecked(t *testing.T) {
	t.Parallel()
	p, _ := start(t, fake())
	for _, tt := range []struct{ field, value, want string }{
		{"access_token", "IGAAabc", ""},
		{"access_token", "EAAabc", "a token of Facebook"},
		{"access_token", "THAAabc", "a token of Threads"},
		{"access_token", "Bearer IGAAabc", "leave out the word Bearer"},
		{"api_url", "https://example.com", ""},
		{"api_url", "example.com", "api_url"},
	} {
		for _, field := range p.Fields() {
			if field.Name != tt.field {
				continue
			}
			if err := field.Check(tt.value); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s %q: %v", tt.field, tt.value, err)
			}
		}
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	publishtest.RunStagedRecordings(t, publishtest.Recordings["instagram"], func(h http.Handler) (publish.Stager, publish.Request) { return start(t, h) })
}
