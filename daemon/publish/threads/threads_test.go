package threads_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/threads"
)

var (
	_ publish.Stager         = (*threads.Publisher)(nil)
	_ publish.PromptFinder   = (*threads.Publisher)(nil)
	_ publish.ContentFinder  = (*threads.Publisher)(nil)
	_ publish.Renewer        = (*threads.Publisher)(nil)
	_ publish.MediaPublisher = (*threads.Publisher)(nil)
	_ publish.Threader       = (*threads.Publisher)(nil)
	_ publish.AddressNeeder  = (*threads.Publisher)(nil)
)

const text = "text of the post that no error may contain"

// start returns a publisher and a request for a server.
func start(t *testing.T, handler http.Handler) (*threads.Publisher, publish.Request) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p := threads.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test", "https://daemon.example")
	return p, publish.Request{
		TargetID: publishtest.TargetID, Content: text, Kind: schedctl.PartPost,
		Credentials: publish.Credentials{"access_token": "threads-token", "api_url": server.URL},
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	p, r := start(t, &publishtest.FakeContainers{API: publishtest.ThreadsAPI})
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil {
		t.Fatal(err)
	}
	held, expiry := got.Credentials, got.Expiry
	got.Credentials, got.Expiry = nil, publish.Expiry{}
	want := publish.Profile{
		Username: "acme", DisplayName: "Acme", URL: "https://www.threads.net/@acme", Identity: "1700",
		Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters", Posts: 250, Window: 24 * time.Hour},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := time.Until(expiry.At); !expiry.Assumed || left < 59*24*time.Hour || expiry.At.Sub(expiry.RenewAt) != 7*24*time.Hour {
		t.Errorf("expiry %+v", expiry)
	}
	again, err := p.Connect(t.Context(), publish.Connection{Credentials: held})
	if err != nil || again.Credentials != nil || again.Expiry.At.Unix() != expiry.At.Unix() {
		t.Errorf("a later check: %+v, %v", again, err)
	}
	renewed, later, err := p.Renew(t.Context(), held)
	if err != nil || later.Assumed || renewed["access_token"] == "" || renewed["api_url"] != r.Credentials["api_url"] || time.Until(later.At) < 59*24*time.Hour {
		t.Errorf("renewed: expiry %+v, %v", later, err)
	}
}

func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body, field string
		kind        schedctl.ErrorKind
	}{
		"expired token":   {publishtest.MetaError(190, 463, "expired"), "token_expired", schedctl.KindAuth},
		"revoked token":   {publishtest.MetaError(190, 460, "changed"), "token_revoked", schedctl.KindAuth},
		"missing scope":   {publishtest.MetaError(10, 0, "permission"), "missing_scope", schedctl.KindAuth},
		"another service": {`{"hello":"world"}`, "api_url", schedctl.KindContent},
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
			if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.field || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "threads-token") {
				t.Errorf("error %+v", e)
			}
		})
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	p := threads.New(nil, outbound.PublicOnly, "test", "https://daemon.example")
	for text, want := range map[string]int{
		"plain": 5, "größe": 5, "日本語": 3, "a…b": 3, "👍": 4, "👍🏽": 8, "👩‍👩‍👧": 18, "🇩🇪": 8, "❤️": 6, "1️⃣": 7, "x👍y": 6,
	} {
		if got := p.Check(schedctl.Account{}, publish.Text(text)).Length; got != want {
			t.Errorf("%q has %d, want %d", text, got, want)
		}
	}
	if c := p.Check(schedctl.Account{}, publish.Text(strings.Repeat("👍", 126))); c.Err() == nil {
		t.Error("504 bytes of emoji are accepted")
	}
}

// publishStaged stages a request, waits, and publishes it.
func publishStaged(t *testing.T, p *threads.Publisher, r publish.Request) schedctl.Receipt {
	t.Helper()
	stage, err := p.Stage(t.Context(), r)
	for polls := 0; err == nil && !stage.Ready && polls < 10; polls++ {
		stage, err = p.Staged(t.Context(), r, stage)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Stage, r.Attempt = stage.ID, 1
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	found, ok, err := p.Find(t.Context(), r, time.Now().Add(-time.Minute))
	if diff := cmp.Diff(receipt, found); !ok || err != nil || diff != "" {
		t.Errorf("found %v, %v (-published +found):\n%s", ok, err, diff)
	}
	if _, err := p.Staged(t.Context(), r, publish.Stage{ID: stage.ID}); publish.AsError(err).Code != publish.CodeStagePublished {
		t.Errorf("a published container is reported as %v", err)
	}
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Outcome != schedctl.OutcomeUnknown {
		t.Errorf("publishing it again: %v", err)
	}
	return receipt
}

// TestContainers checks what each kind of post sends.
func TestContainers(t *testing.T) {
	t.Parallel()
	image := publish.File{Media: publish.Media{MIMEType: "image/jpeg", AltText: "a cat"}, URL: "https://daemon.example/1.jpg"}
	video := publish.File{Media: publish.Media{MIMEType: "video/mp4"}, URL: "https://daemon.example/2.mp4"}
	for name, tt := range map[string]struct {
		files []publish.File
		want  map[string]string
		count int
	}{
		"text":     {nil, map[string]string{"media_type": "TEXT", "text": text}, 1},
		"image":    {[]publish.File{image}, map[string]string{"media_type": "IMAGE", "text": text, "image_url": image.URL, "alt_text": "a cat"}, 1},
		"video":    {[]publish.File{video}, map[string]string{"media_type": "VIDEO", "text": text, "video_url": video.URL}, 1},
		"carousel": {[]publish.File{image, image}, map[string]string{"media_type": "CAROUSEL", "text": text, "children": "18000000000001,18000000000002"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
			p, r := start(t, network)
			r.Files = tt.files
			first := publishStaged(t, p, r)
			posts, containers := network.Posts(), network.Containers()
			if len(posts) != 1 || len(containers) != tt.count || first.ID != posts[0].ID || !strings.HasSuffix(first.URL, first.ID) {
				t.Errorf("receipt %+v, posts %+v, %d containers", first, posts, len(containers))
			}
			for _, c := range containers {
				if c.ID != posts[0].Container {
					continue
				}
				if diff := cmp.Diff(tt.want, c.Form); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			r.Part, r.Kind, r.Root, r.Parent, r.Files = 1, schedctl.PartReply, &first, &first, nil
			publishStaged(t, p, r)
			if posts = network.Posts(); len(posts) != 2 || posts[1].ReplyTo != first.ID {
				t.Errorf("posts %+v", posts)
			}
		})
	}
}

func TestFilesNeedAPublicAddress(t *testing.T) {
	t.Parallel()
	local := threads.New(nil, outbound.PublicOnly, "test", "http://127.0.0.1:8080")
	if c := local.Check(schedctl.Account{}, publish.Text("words")); c.Err() != nil {
		t.Errorf("text alone is refused: %v", c.Err())
	}
	var c publish.Check
	publish.CheckMedia(&c, local, schedctl.Account{}, []publish.Media{{MIMEType: "image/jpeg"}}, nil)
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "--public-url") {
		t.Errorf("a picture: %v", err)
	}
	network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
	p, r := start(t, network)
	r.Files = []publish.File{{Media: publish.Media{MIMEType: "image/jpeg"}, URL: "http://127.0.0.1:8080/1.jpg"}}
	_, err := p.Stage(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || !strings.Contains(e.Message, "--public-url") || len(network.Containers()) != 0 {
		t.Errorf("error %+v", e)
	}
}

// TestStagingNeverPublishes guards the outcome of errors before the request that publishes.
func TestStagingNeverPublishes(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"500":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"dropped": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no id":   func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{}`)) },
		"echo": func(w http.ResponseWriter, r *http.Request) {
			r.ParseForm()
			w.WriteHeader(400)
			w.Write([]byte(publishtest.MetaError(100, 0, r.Form.Get("text")+r.Form.Get("access_token"))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := start(t, handler)
			_, err := p.Stage(t.Context(), r)
			_, err2 := p.Staged(t.Context(), r, publish.Stage{ID: "18000000000001"})
			for _, err := range []error{err, err2} {
				e := publish.AsError(err)
				if err == nil || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Error(), "threads-token") || strings.Contains(e.Error(), text) {
					t.Errorf("error %+v", e)
				}
			}
		})
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	var network *publishtest.FakeContainers
	publishtest.RunStages(t, publishtest.StageSuite{
		Start: func(t *testing.T) (publish.Stager, publish.Request) {
			network = &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
			p, r := start(t, network)
			return p, r
		},
		Posts:   func() int { return len(network.Posts()) },
		Unknown: "17999999999999",
	})
}

// TestMissingPermission guards that connecting names the permission that a token lacks.
func TestMissingPermission(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/me": "threads_basic", "/threads_publishing_limit": "threads_content_publish"} {
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, path) {
				w.WriteHeader(http.StatusBadRequest)
				w.Write([]byte(publishtest.MetaError(10, 0, "permission")))
				return
			}
			w.Write([]byte(`{"id":"17","username":"alice"}`))
		}))
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if e := publish.AsError(err); e.Code != string(publish.HoldScope) || !strings.Contains(e.Message, "lacks the permission "+want+";") {
			t.Errorf("%s: %+v", path, e)
		}
	}
}

// withoutReplies is the API for a token without the permission threads_manage_replies. Threads
// responds with both statuses.
func withoutReplies(network http.Handler, status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		if r.Form.Has("reply_to_id") || strings.Contains(r.Form.Get("fields"), "reply_") {
			w.WriteHeader(status)
			w.Write([]byte(publishtest.MetaError(10, 0, "(#10) Application does not have permission for this action")))
			return
		}
		network.ServeHTTP(w, r)
	})
}

// TestConnectWarnsOfReplies guards that a token that cannot reply is accepted, with a warning,
// and that a quota that cannot be read for another reason is not known.
func TestConnectWarnsOfReplies(t *testing.T) {
	t.Parallel()
	network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
	for name, tt := range map[string]struct {
		handler http.Handler
		warns   bool
	}{
		"all permissions": {network, false},
		"no replies, 400": {withoutReplies(network, 400), true},
		"no replies, 403": {withoutReplies(network, 403), true},
		"unreadable quota": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.FormValue("fields"), "reply_") {
				w.WriteHeader(500)
				return
			}
			network.ServeHTTP(w, r)
		}), false},
	} {
		p, r := start(t, tt.handler)
		got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if err != nil || len(got.Warnings) > 0 != tt.warns || tt.warns && !strings.HasPrefix(got.Warnings[0], "threads and first comments need threads_manage_replies") {
			t.Errorf("%s: %v, %v", name, got.Warnings, err)
		}
	}
}

// TestRefusedReply guards that a token that cannot reply fails the part and not the account,
// whatever the status, and that a quota that cannot be read does not.
func TestRefusedReply(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 403} {
		network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
		p, r := start(t, withoutReplies(network, status))
		first := publishStaged(t, p, r)
		r.Part, r.Kind, r.Root, r.Parent = 1, schedctl.PartReply, &first, &first
		_, err := p.Stage(t.Context(), r)
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "10" || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, "(#10)") {
			t.Errorf("%d: %+v", status, e)
		}
		if posts := network.Posts(); len(posts) != 1 {
			t.Errorf("%d: posts %+v", status, posts)
		}
	}
	network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.FormValue("fields"), "reply_quota") {
			w.WriteHeader(http.StatusForbidden)
			w.Write([]byte(publishtest.MetaError(10, 0, "(#10) Application does not have permission for this action")))
			return
		}
		network.ServeHTTP(w, r)
	}))
	first := publishStaged(t, p, r)
	r.Part, r.Kind, r.Root, r.Parent = 1, schedctl.PartReply, &first, &first
	publishStaged(t, p, r)
}

// TestTooManyLinks counts the different links of a text as Threads does since December 2025.
func TestTooManyLinks(t *testing.T) {
	t.Parallel()
	p := threads.New(nil, outbound.PublicOnly, "test", "https://daemon.example")
	const five = "https://a.example/1, https://a.example/2; (https://a.example/3) www.b.example https://c.example"
	for text, want := range map[string]string{
		five: "",
		five + " https://a.example/1 http://a.example/1. HTTPS://A.EXAMPLE/1/ https://www.b.example/": "",
		five + " https://a.example/4":                                 "too_many_links",
		five + " www.instagram.com":                                   "too_many_links",
		strings.Repeat("https://a.example/1 ", 20):                    "",
		"a.example b.example c.example d.example e.example f.example": "",
	} {
		c := p.Check(schedctl.Account{}, publish.Text(text))
		if code := publish.AsError(c.Err()).Code; c.Err() == nil && want != "" || c.Err() != nil && code != want {
			t.Errorf("%q: %v", text, c.Err())
		}
	}
}

// TestAddressesThatMayBeLinks checks that addresses without a scheme lead to a warning if a
// post could have too many links with them.
func TestAddressesThatMayBeLinks(t *testing.T) {
	t.Parallel()
	p := threads.New(nil, outbound.PublicOnly, "test", "https://daemon.example")
	for text, want := range map[string]bool{
		"a.example b.example c.example d.example (e.example/x) f.example":                   true,
		"https://a.example/1 https://a.example/2 b.example c.example d.example e.example/x": true,
		"a.example/1 a.example/2 a.example/3 a.example/4 a.example?q=5 a.example#6":         true,
		"a.example b.example c.example d.example e.example":                                 false,
		"a.example a.example, (a.example) A.example/ a.example. a.example!":                 false,
		"https://a.example b.example c.example d.example e.example a.example b.example/":    false,
		"https://a.example https://b.example www.c.example www.d.example www.e.example":     false,
	} {
		if c := p.Check(schedctl.Account{}, publish.Text(text)); c.Err() != nil || len(c.Warnings) > 0 != want {
			t.Errorf("%q: %v, warnings %q", text, c.Err(), c.Warnings)
		}
	}
}

// TestLinkLimit guards that a post that Threads refuses for its links fails with a code of
// its own, whatever was counted before.
func TestLinkLimit(t *testing.T) {
	t.Parallel()
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(publishtest.MetaError(100, 0, "THREADS_API__LINK_LIMIT_EXCEEDED")))
	}))
	_, err := p.Stage(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "too_many_links" || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("error %+v", e)
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	publishtest.RunStagedRecordings(t, publishtest.Recordings["threads"], func(h http.Handler) (publish.Stager, publish.Request) { return start(t, h) })
}

// TestForbiddenContainer checks that a 403 with a code of no list refuses the post if it
// refuses its container.
func TestForbiddenContainer(t *testing.T) {
	t.Parallel()
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(publishtest.MetaError(3, 0, "(#3) Application does not have the capability to make this API call.")))
	}))
	_, err := p.Stage(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "3" || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "anyway") || !strings.Contains(e.Message, "capability") {
		t.Errorf("the container: %+v", e)
	}
	_, err = p.Staged(t.Context(), r, publish.Stage{ID: "18000000000001"})
	if e := publish.AsError(err); e.Code != publish.CodeNotKnown {
		t.Errorf("its status: %+v", e)
	}
	r.Stage = "18000000000001"
	_, err = p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindPlatform || e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("the post: %+v", e)
	}
}
