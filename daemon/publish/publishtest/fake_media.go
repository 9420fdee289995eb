package publishtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// UploadingFake is a [Fake] that takes files, each in an upload before the post. The
// functions may be nil. They run on the caller's goroutine and may block.
type UploadingFake struct {
	*Fake
	Rules publish.MediaRules

	// OnUpload returns the error of an upload, or nil to accept it. The number counts
	// the uploads from 1.
	OnUpload func(ctx context.Context, n int, r publish.Request, f publish.File) error

	// OnProcessed returns whether the nth question about an upload finds it ready, and
	// the error of the question. Nil means that uploads are ready at once.
	OnProcessed func(n int, u publish.Upload) (ready bool, err error)

	// Life is how long the network keeps an upload that no post refers to; 0 for ever.
	Life time.Duration

	uploads   []FakeUpload
	questions int
}

// FakeUpload is a file that an [UploadingFake] has.
type FakeUpload struct {
	ID, Account string
	SHA256      [32]byte // of the bytes that were sent
	AltText     string
	At          time.Time
	lost        bool
}

// NewUploadingFake returns a fake that takes four images of any size.
func NewUploadingFake(platform string) *UploadingFake {
	return &UploadingFake{Fake: NewFake(platform), Rules: publish.MediaRules{
		MaxFiles: 4, MaxAlt: 1500, Classes: map[schedctl.MediaClass]publish.ClassRules{schedctl.MediaImage: {}, schedctl.MediaVideo: {}},
	}}
}

// Uploads returns the accepted uploads so far.
func (f *UploadingFake) Uploads() []FakeUpload {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.uploads)
}

// Lose makes the network forget all uploads.
func (f *UploadingFake) Lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.uploads {
		f.uploads[i].lost = true
	}
}

// MediaRules returns Rules.
func (f *UploadingFake) MediaRules(schedctl.Account) publish.MediaRules { return f.Rules }

// Upload reads the file and remembers it.
func (f *UploadingFake) Upload(ctx context.Context, r publish.Request, file publish.File) (publish.Upload, error) {
	f.mu.Lock()
	f.questions++
	n := f.questions
	f.mu.Unlock()
	if f.OnUpload != nil {
		if err := f.OnUpload(ctx, n, r, file); err != nil {
			return publish.Upload{}, err
		}
	}
	body, err := file.Open(ctx)
	if err != nil {
		return publish.Upload{}, publish.AsError(err)
	}
	defer body.Close()
	var data bytes.Buffer
	if _, err := io.Copy(&data, body); err != nil {
		return publish.Upload{}, publish.AsError(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	u := FakeUpload{
		ID: fmt.Sprintf("upload-%d", len(f.uploads)+1), Account: r.Account.ID, SHA256: sha256.Sum256(data.Bytes()), AltText: file.AltText, At: time.Now(),
	}
	f.uploads = append(f.uploads, u)
	upload := publish.Upload{ID: u.ID, Ready: f.OnProcessed == nil}
	if f.Life > 0 {
		upload.ExpiresAt = u.At.Add(f.Life)
	}
	return upload, nil
}

// Processed responds as OnProcessed says.
func (f *UploadingFake) Processed(_ context.Context, _ publish.Request, u publish.Upload) (publish.Upload, error) {
	f.mu.Lock()
	f.questions++
	n := f.questions
	known := f.find(u.ID) != nil
	f.mu.Unlock()
	if !known {
		return u, uploadLost()
	}
	ready, err := f.OnProcessed(n, u)
	u.Ready = ready
	return u, err
}

// Publish refuses requests with an upload that the network does not have.
func (f *UploadingFake) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	f.mu.Lock()
	for _, file := range r.Files {
		u := f.find(file.Upload.ID)
		if u == nil || !file.Upload.Ready || u.AltText != file.AltText {
			f.mu.Unlock()
			return schedctl.Receipt{}, uploadLost()
		}
	}
	f.mu.Unlock()
	return f.Fake.Publish(ctx, r)
}

// find returns the upload with an id, or nil. The caller holds mu.
func (f *UploadingFake) find(id string) *FakeUpload {
	for i := range f.uploads {
		u := &f.uploads[i]
		if u.ID == id && !u.lost && (f.Life == 0 || time.Since(u.At) < f.Life) {
			return u
		}
	}
	return nil
}

func uploadLost() error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, Code: publish.CodeUploadLost, Message: "the network does not have the upload", HTTPStatus: 422,
		Outcome: schedctl.OutcomeNotPublished,
	}
}
