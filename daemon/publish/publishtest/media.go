package publishtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// MediaSuite describes a [publish.MediaPublisher] to [Run].
type MediaSuite struct {
	// Upload recognizes the requests of an [publish.Uploader] that upload or ask for the
	// state of an upload. It is nil for other publishers.
	Upload func(*http.Request) bool

	// Network replaces Suite.Network in tests with files. It is nil for the same one.
	Network http.Handler

	// Receipt is the result of publishing files. It is the zero value for Suite.Receipt.
	Receipt schedctl.Receipt

	// Varies means that the receipt depends on the files.
	Varies bool

	// Reference returns what a publishing request contains to refer to an upload. It is
	// nil if that is Upload.ID.
	Reference func(publish.Upload) string

	// Requests returns how many publishing requests a post with that many files takes.
	// It is nil for one.
	Requests func(files int) int
}

// TestFile returns a file of a type with recognizable bytes and alt text. It is not a
// valid picture.
func TestFile(mimeType string, index int) publish.File {
	data := fmt.Appendf(nil, "Bytes of file %d: \x00\xff\r\n--%s", index, strings.Repeat("0123456789abcdef", 1000))
	var duration time.Duration
	if mimeType == "image/gif" {
		duration = time.Second // an animation
	}
	return publish.File{
		Media: publish.Media{
			AssetID: fmt.Sprintf("med_01JX000000000000000000001%d", index), FileName: fmt.Sprintf("holiday %d.bin", index), MIMEType: mimeType,
			Size: int64(len(data)), SHA256: sha256.Sum256(data), Width: 640, Height: 480, Duration: duration, Animated: duration > 0, AltText: fmt.Sprintf("Alt text of file %d", index),
		},
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		URL:  fmt.Sprintf("https://daemon.example/media/%d", index),
	}
}

// testMedia tests a publisher with files.
func (s Suite) testMedia(t *testing.T) {
	t.Parallel()
	p, ok := s.New(nil).(publish.MediaPublisher)
	switch {
	case !ok:
		return
	case s.Media == nil:
		s.testRefusesMedia(t, p)
		return
	}
	if s.Media.Network != nil {
		s.Network = s.Media.Network
	}
	if s.Media.Receipt.ID != "" || s.Media.Receipt.URL != "" {
		s.Receipt = s.Media.Receipt
	}
	_, uploads := p.(publish.Uploader)
	if uploads != (s.Media.Upload != nil) {
		t.Fatal("MediaSuite.Upload must be set for an Uploader, and only for one")
	}
	t.Run("Rules", s.testMediaRules)
	t.Run("Publish", s.testPublishFiles)
	if s.Network == nil {
		return
	}
	if uploads {
		t.Run("Upload", s.testUploadResponses)
		t.Run("Upload echo", s.testUploadEcho)
	} else {
		t.Run("Unreadable", s.testUnreadableFile)
	}
}

// testRefusesMedia tests an account that takes no media on a network that does.
func (s Suite) testRefusesMedia(t *testing.T, p publish.MediaPublisher) {
	n := s.start(t)
	r := n.connect(t)
	if p.MediaRules(r.Account).Refused == "" {
		t.Fatal("the publisher takes media, but the suite does not say how")
	}
	r.Files = []publish.File{TestFile("image/png", 1)}
	_, err := n.publisher.Publish(t.Context(), r)
	if e := n.checkError(t, "media", err); e.Kind != schedctl.KindContent || e.Outcome != notPublished {
		t.Errorf("publishing with media: got %s, %s; want content, not_published", e.Kind, e.Outcome)
	}
	if calls := n.takeCalls(); len(calls) > 0 {
		t.Errorf("publishing with media sent %d requests, such as %s", len(calls), calls[0].path)
	}
}

func (s Suite) testMediaRules(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	rules := n.publisher.(publish.MediaPublisher).MediaRules(n.connect(t).Account)
	if len(rules.Classes) == 0 {
		t.Error("no class of files is accepted")
	}
	for class, limits := range rules.Classes {
		for _, mimeType := range limits.Types {
			if schedctl.MediaClassOf(mimeType) != class {
				t.Errorf("%s is not a type of the class %s", mimeType, class)
			}
		}
	}
	if calls := n.takeCalls(); len(calls) > 0 {
		t.Errorf("MediaRules sent %d requests", len(calls))
	}
}

// files returns as many files as the account may have in a post, up to 5.
func (n *network) files(r publish.Request) []publish.File {
	rules := n.publisher.(publish.MediaPublisher).MediaRules(r.Account)
	mimeType := "image/png"
	if types := rules.Classes[schedctl.MediaImage].Types; len(types) > 0 && !slices.Contains(types, mimeType) {
		mimeType = types[0]
	}
	files := make([]publish.File, 5)
	if rules.MaxFiles > 0 {
		files = files[:min(len(files), rules.MaxFiles)]
	}
	for i := range files {
		files[i] = TestFile(mimeType, i+1)
		if rules.Fetched {
			files[i].Open = nil
		} else {
			files[i].URL = ""
		}
	}
	return files
}

// upload uploads files until the network has processed them. It returns them
// unchanged if the publisher uploads none.
func (n *network) upload(t *testing.T, r publish.Request, files []publish.File) []publish.File {
	t.Helper()
	uploader, ok := n.publisher.(publish.Uploader)
	if !ok {
		return files
	}
	r.Attempt, r.Key, r.Files = 0, "", nil
	uploaded := slices.Clone(files)
	for i := range uploaded {
		u, err := uploader.Upload(t.Context(), r, uploaded[i])
		if err != nil {
			t.Fatalf("upload of file %d: %v", i+1, err)
		}
		for polls := 0; !u.Ready && u.ReadyAt.IsZero(); polls++ {
			if u, err = uploader.Processed(t.Context(), r, u); err != nil || polls > 10 {
				t.Fatalf("processing of file %d, poll %d: %v", i+1, polls, err)
			}
		}
		uploaded[i].Upload = u
	}
	return uploaded
}

// testPublishFiles publishes one file, and as many as a post may have, and checks that
// the network got all bytes, all alt texts and all references, in order.
func (s Suite) testPublishFiles(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	r := n.connect(t)
	all := n.files(r)
	for _, count := range slices.Compact([]int{1, len(all)}) {
		files := n.upload(t, r, all[:count])
		uploads := n.takeUploads()
		r.Files = files
		receipt, err := n.publisher.Publish(t.Context(), r)
		if err != nil {
			t.Fatalf("%d files: %v", count, err)
		}
		if diff := cmp.Diff(s.Receipt, receipt); diff != "" && !s.Media.Varies {
			t.Errorf("%d files: receipt (-want +got):\n%s", count, diff)
		}
		if s.Network != nil {
			n.checkFilesSent(t, r, uploads, n.takeCalls())
		}
	}
}

func (n *network) checkFilesSent(t *testing.T, r publish.Request, uploads, calls []call) {
	t.Helper()
	rules := n.publisher.(publish.MediaPublisher).MediaRules(r.Account)
	want := 1
	if n.suite.Media.Requests != nil {
		want = n.suite.Media.Requests(len(r.Files))
	}
	if len(calls) != want {
		t.Errorf("%d files: %d publishing requests, want %d", len(r.Files), len(calls), want)
	}
	published := joinBodies(calls)
	all := append(joinBodies(uploads), published...)
	pos := 0
	for i, f := range r.Files {
		if f.Open != nil && !bytes.Contains(all, readFile(t, f)) {
			t.Errorf("the network did not get the bytes of file %d", i+1)
		}
		if !rules.NoAlt && !bytes.Contains(all, []byte(f.AltText)) {
			t.Errorf("the network did not get the alt text of file %d", i+1)
		}
		reference := n.reference(f)
		if reference == "" {
			continue
		}
		at := bytes.Index(published[pos:], []byte(reference))
		if at < 0 {
			t.Errorf("the publishing request does not refer to file %d (%q) after those before it", i+1, reference)
			continue
		}
		pos += at
	}
}

// reference returns what a publishing request contains for a file, or the empty string
// if that is not known.
func (n *network) reference(f publish.File) string {
	switch {
	case f.URL != "":
		return f.URL
	case n.suite.Media.Reference != nil:
		return n.suite.Media.Reference(f.Upload)
	default:
		return f.Upload.ID
	}
}

func joinBodies(calls []call) (joined []byte) {
	for _, c := range calls {
		joined = append(joined, c.body...)
	}
	return joined
}

func readFile(t *testing.T, f publish.File) []byte {
	t.Helper()
	r, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// uploadRefusals are responses to an upload that mean the same on every network. None
// of them is an unknown outcome, because an upload publishes nothing.
func uploadRefusals() []scriptedResponse {
	list := refusals()
	for i := range list {
		r := &list[i]
		r.outcome = notPublished
		if r.kind == schedctl.KindContent && r.status >= 400 {
			r.kind = schedctl.KindMedia
		}
	}
	// Networks differ in what these mean for an upload.
	return slices.DeleteFunc(list, func(r scriptedResponse) bool { return r.status < 400 || r.status == 404 || r.status == 409 })
}

func (s Suite) testUploadResponses(t *testing.T) {
	t.Parallel()
	for _, response := range append(uploadRefusals(), unusableBodies...) {
		if response.kind == "" {
			response.kind, response.outcome = schedctl.KindPlatform, notPublished
		}
		t.Run(response.name, func(t *testing.T) {
			t.Parallel()
			n := s.start(t)
			r := n.connect(t)
			file := n.files(r)[0]
			n.respondWith(response.ServeHTTP)
			_, err := n.publisher.(publish.Uploader).Upload(t.Context(), r, file)
			e := n.checkError(t, response.name, err)
			if response.status == http.StatusForbidden && e.Kind == schedctl.KindMedia {
				response.kind = e.Kind // the login may lack the permission to upload
			}
			if e.Kind != response.kind || e.Outcome != notPublished {
				t.Errorf("got %s, %s; want %s, not_published (%s)", e.Kind, e.Outcome, response.kind, e.Message)
			}
			if response.status == http.StatusRequestEntityTooLarge && e.Code != publish.CodeFileTooLarge {
				t.Errorf("code %q, want %s", e.Code, publish.CodeFileTooLarge)
			}
			if response.retryIn > 0 && e.RetryAt.IsZero() {
				t.Error("no retry time")
			}
			if calls := n.takeCalls(); len(calls) > 0 {
				t.Errorf("uploading sent %d other requests, such as %s", len(calls), calls[0].path)
			}
		})
	}
	t.Run("dropped", func(t *testing.T) {
		t.Parallel()
		n := s.start(t)
		r := n.connect(t)
		n.respondWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		_, err := n.publisher.(publish.Uploader).Upload(t.Context(), r, n.files(r)[0])
		n.checkDropped(t, err, notPublished)
	})
	t.Run("unreadable", func(t *testing.T) {
		t.Parallel()
		for name, broken := range unreadableFiles {
			n := s.start(t)
			r := n.connect(t)
			_, err := n.publisher.(publish.Uploader).Upload(t.Context(), r, broken(n.files(r)[0]))
			if e := n.checkError(t, name, err); e.Kind != schedctl.KindMedia || e.Outcome != notPublished {
				t.Errorf("%s: got %s, %s; want media, not_published", name, e.Kind, e.Outcome)
			}
		}
	})
}

func (s Suite) testUploadEcho(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 413, 422, 429, 500} {
		n := s.start(t)
		r := n.connect(t)
		for _, secret := range n.secrets() {
			n.respondWith(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"error":{"message":"token %s is dead"}}`, secret)
			})
			_, err := n.publisher.(publish.Uploader).Upload(t.Context(), r, n.files(r)[0])
			n.checkError(t, "echo of a secret", err)
		}
	}
}

var errDisk = errors.New("a disk error")

// unreadableFiles break a file in every way in which it can be broken.
var unreadableFiles = map[string]func(publish.File) publish.File{
	"missing": func(f publish.File) publish.File {
		f.Open = func(context.Context) (io.ReadCloser, error) { return nil, errDisk }
		return f
	},
	"short": func(f publish.File) publish.File { f.Size++; return f },
	"long":  func(f publish.File) publish.File { f.Size--; return f },
	"broken at the end": func(f publish.File) publish.File {
		open := f.Open
		f.Open = func(ctx context.Context) (io.ReadCloser, error) {
			r, err := open(ctx)
			return io.NopCloser(io.MultiReader(r, failingReader{})), err
		}
		return f
	},
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errDisk }

// testUnreadableFile checks that a network never gets the complete bytes of a broken
// file with the post.
func (s Suite) testUnreadableFile(t *testing.T) {
	t.Parallel()
	for name, broken := range unreadableFiles {
		n := s.start(t)
		r := n.connect(t)
		r.Files = n.files(r)[:1]
		if r.Files[0].Open == nil {
			return // the network fetches the files
		}
		r.Files[0] = broken(r.Files[0])
		_, err := n.publisher.Publish(t.Context(), r)
		if e := n.checkError(t, name, err); e.Kind != schedctl.KindMedia {
			t.Errorf("%s: got %s, want media", name, e.Kind)
		}
		if calls := n.takeCalls(); len(calls) > 0 {
			t.Errorf("%s: the network got a complete request", name)
		}
	}
}
