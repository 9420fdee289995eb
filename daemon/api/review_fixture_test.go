package api_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// reviewing is a fixture with a key of each part in a review.
type reviewing struct {
	*fixture
	author   option // writes and publishes posts
	drafter  option // writes drafts
	agent    option // is an agent that may publish
	approver option // approves, and reads
	editor   option // approves, writes and publishes

	secrets map[string]string // of the keys, by name
}

// onDatabases runs a test on bolt and on PostgreSQL.
func onDatabases(t *testing.T, test func(*testing.T, *reviewing)) {
	t.Helper()
	onStores(t, func(t *testing.T, store storage.Store) { test(t, newReviewing(newPictureFixture(t, store))) })
}

// onStores runs a test with a database file and with a database of PostgreSQL.
func onStores(t *testing.T, test func(*testing.T, storage.Store)) {
	t.Helper()
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		store, err := postgres.Open(t.Context(), postgrestest.Schema(t), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
	})
}

// pictureNetwork is a network that takes files.
type pictureNetwork struct {
	*network
	uploading *publishtest.UploadingFake
}

func (n pictureNetwork) MediaRules(a schedctl.Account) publish.MediaRules {
	return n.uploading.MediaRules(a)
}

func (n pictureNetwork) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	return n.uploading.Upload(ctx, r, f)
}

func (n pictureNetwork) Processed(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	return n.uploading.Processed(ctx, r, u)
}

func (n pictureNetwork) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	return n.uploading.Publish(ctx, r)
}

// newPictureFixture returns a fixture with a network that takes files, and a deliverer
// that has them.
func newPictureFixture(t *testing.T, store storage.Store, configure ...func(*api.Config)) *fixture {
	t.Helper()
	uploading := publishtest.NewUploadingFake("fake")
	n := &network{Fake: uploading.Fake}
	f := newFixtureOn(t, store, append([]func(*api.Config){func(c *api.Config) { c.Publishers["fake"] = pictureNetwork{n, uploading} }}, configure...)...)
	f.network, f.files = n, blobFiles{f}
	return f
}

// blobFiles gives a deliverer the files of a fixture as they were uploaded.
type blobFiles struct{ f *fixture }

func (b blobFiles) InUse(context.Context) (bool, error) { return true, nil }

func (b blobFiles) Asset(ctx context.Context, workspaceID, id string) (a schedctl.MediaAsset, err error) {
	err = b.f.store.View(ctx, func(r storage.Reader) error {
		a, err = r.MediaAsset(workspaceID, id)
		return err
	})
	return a, err
}

func (b blobFiles) Fit(_ context.Context, a schedctl.MediaAsset, _ publish.ClassRules) (deliver.FittedFile, error) {
	return deliver.FittedFile{
		Media: publish.Media{MIMEType: a.MIMEType, Size: a.Size, SHA256: a.SHA256, Width: a.Width, Height: a.Height},
		Open: func(ctx context.Context) (io.ReadCloser, error) {
			r, err := b.f.blobs.Open(ctx, a.SHA256)
			return r, err
		},
		Close: func() {},
	}, nil
}

func (b blobFiles) Link(context.Context, schedctl.MediaAsset, string) (string, error) {
	return "", errors.New("no links in this test")
}

func newReviewing(f *fixture) *reviewing {
	f.t.Helper()
	w := &reviewing{fixture: f, secrets: map[string]string{}}
	named := func(name string, change func(*schedctl.APIKey), scopes ...schedctl.Scope) option {
		w.secrets[name] = f.newKey(f.mine.workspace, func(k *schedctl.APIKey) {
			k.Name, k.Scopes = name, append(scopes, schedctl.ScopePostsRead)
			if change != nil {
				change(k)
			}
		})
		return as(w.secrets[name])
	}
	w.author = named("author", nil, schedctl.ScopePostsWrite)
	w.drafter = named("drafter", nil, schedctl.ScopePostsDraft)
	w.agent = named("agent", func(k *schedctl.APIKey) { k.Agent = true }, schedctl.ScopePostsWrite)
	w.approver = named("approver", nil, schedctl.ScopePostsApprove)
	w.editor = named("editor", nil, schedctl.ScopePostsApprove, schedctl.ScopePostsWrite)
	return w
}

// policy sets the policy of my workspace.
func (w *reviewing) policy(p string) {
	w.t.Helper()
	w.do(nil, "PATCH", "/workspaces/"+w.mine.workspace, body{"approvals": p}).want(200)
}

// fourEyes says whether each text of my workspace needs two people. Posts that one has edited
// and approved are approved by another key.
func (w *reviewing) fourEyes(on bool) {
	w.t.Helper()
	b := body{"four_eyes": on}
	if on {
		b["existing"] = "approve"
	}
	got := decodeAs[apiv1.WorkspaceEnvelope](w.t, w.do(nil, "PATCH", "/workspaces/"+w.mine.workspace, b).want(200)).Workspace
	if got.FourEyes != on {
		w.t.Errorf("four_eyes is %t", got.FourEyes)
	}
}

// draftBy creates a draft with a key.
func (w *reviewing) draftBy(o option) apiv1.Post {
	w.t.Helper()
	return w.do(o, "POST", "/posts", body{"content": "a text", "social_account_ids": []string{w.mine.account}}).want(201).post()
}

// pendingBy creates a draft with a key, and submits it.
func (w *reviewing) pendingBy(o option) apiv1.Post {
	w.t.Helper()
	return w.do(o, "POST", "/posts/"+w.draftBy(o).ID+"/submit", body{"proposed_at": in(time.Hour)}).want(200).post()
}

// approved returns a scheduled post of the author that is approved.
func (w *reviewing) approved() apiv1.Post { return w.approvedOf(w.author) }

// approvedOf is approved with a key.
func (w *reviewing) approvedOf(o option) apiv1.Post {
	w.t.Helper()
	return w.do(w.approver, "POST", "/posts/"+w.pendingBy(o).ID+"/approve", nil).want(200).post()
}

// get reads a post.
func (w *reviewing) get(id string) apiv1.Post {
	w.t.Helper()
	return w.do(nil, "GET", "/posts/"+id, nil).want(200).post()
}

// wantApproval fails the test unless the approval of the post has the state.
func wantApproval(t *testing.T, p apiv1.Post, state schedctl.ApprovalState) {
	t.Helper()
	switch {
	case p.Approval == nil && state != "":
		t.Errorf("the post has no approval, want %s", state)
	case p.Approval != nil && p.Approval.State != state:
		t.Errorf("the approval is %s, want %q", p.Approval.State, state)
	}
}

// secretOf returns the secret that an option sends.
func (w *reviewing) secretOf(o option) string {
	r := httptest.NewRequest("GET", "/", nil)
	o(r)
	return r.Header.Get("Authorization")
}

// orNone returns the body, or nil for a request without one.
func orNone(b body) any {
	if b == nil {
		return nil
	}
	return b
}
