package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// storedMedia is a source with one asset.
func storedMedia(t *testing.T, data []byte, mimeType string) (s *mediaSource, a schedctl.MediaAsset, root string) {
	t.Helper()
	root = t.TempDir()
	blobs, err := dir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	store := storagetest.NewMemory()
	s = newMediaSource(store, blobs, variant.NewFitter(variant.DefaultMemory), media.NewSigner([32]byte{1}), all.Publishers(all.Config{}), "https://daemon.example")
	spool, err := blobs.Spool()
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	if _, err := spool.Write(data); err != nil {
		t.Fatal(err)
	}
	if _, err := blobs.Put(t.Context(), spool); err != nil {
		t.Fatal(err)
	}
	now := schedctl.Millis(time.Now())
	a = schedctl.MediaAsset{
		ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now), FileName: "a", MIMEType: mimeType,
		Size: int64(len(data)), SHA256: sha256.Sum256(data), Status: schedctl.MediaReady, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	if inUse, err := s.InUse(t.Context()); inUse || err != nil {
		t.Errorf("without assets: in use %v, %v", inUse, err)
	}
	err = store.Update(t.Context(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: a.WorkspaceID, Name: "test", Timezone: "UTC", CreatedAt: now}); err != nil {
			return err
		}
		return tx.PutMediaAsset(a)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, a, root
}

func readAll(t *testing.T, open func(context.Context) (io.ReadCloser, error)) []byte {
	t.Helper()
	r, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestMediaSourceFits(t *testing.T) {
	t.Parallel()
	s, a, root := storedMedia(t, mediatest.JPEGWithMetadata(400, 300, 6), "image/jpeg")
	if inUse, err := s.InUse(t.Context()); !inUse || err != nil {
		t.Errorf("in use %v, %v", inUse, err)
	}
	if got, err := s.Asset(t.Context(), a.WorkspaceID, a.ID); err != nil || got.SHA256 != a.SHA256 {
		t.Errorf("asset %+v, %v", got, err)
	}
	for name, limits := range map[string]publish.ClassRules{"as it is": {}, "smaller": {MaxWidth: 100}, "as PNG": {Types: []string{"image/png"}}} {
		fitted, err := s.Fit(t.Context(), a, limits)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data := readAll(t, fitted.Open)
		facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), mediafile.DefaultLimits)
		if err != nil || facts.HasMetadata || sha256.Sum256(data) != fitted.SHA256 || int64(len(data)) != fitted.Size || !limits.Fits(&fitted.Media) ||
			facts.Width != fitted.Width || facts.Height != fitted.Height || facts.MIMEType != fitted.MIMEType {
			t.Errorf("%s: %+v of %+v, %v", name, facts, fitted.Media, err)
		}
		fitted.Close()
	}
	spools := 0
	filepath.WalkDir(root, func(path string, _ os.DirEntry, _ error) error {
		if strings.HasPrefix(filepath.Base(path), "spool-") {
			spools++
		}
		return nil
	})
	if spools > 0 {
		t.Errorf("%d temporary files are left", spools)
	}
	link, err := s.Link(t.Context(), a, "")
	token, ours := strings.CutPrefix(link, "https://daemon.example/media/")
	if c, verifyErr := s.signer.Verify(token, media.ActionDownload, time.Now()); err != nil || !ours || verifyErr != nil || c.AssetID != a.ID {
		t.Errorf("link %s, %+v, %v, %v", link, c, err, verifyErr)
	}
}

// Missing and damaged bytes fail the post; they are never sent.
func TestMediaSourceDetectsDamage(t *testing.T) {
	t.Parallel()
	for code, spoil := range map[string]func(path string) error{
		"media_missing": os.Remove,
		"media_damaged": func(path string) error {
			data, err := os.ReadFile(path)
			if err == nil {
				err = errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, append(data[:len(data)-1], data[len(data)-1]^1), 0o600))
			}
			return err
		},
	} {
		s, a, root := storedMedia(t, mediatest.PNG(40, 30), "image/png")
		var file string
		filepath.WalkDir(root, func(path string, e os.DirEntry, _ error) error {
			if !e.IsDir() && fileSize(path) == a.Size {
				file = path
			}
			return nil
		})
		if err := spoil(file); err != nil {
			t.Fatal(err)
		}
		_, err := s.Fit(t.Context(), a, publish.ClassRules{})
		if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", code, e)
		}
	}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

func TestMediaSourceUnfit(t *testing.T) {
	t.Parallel()
	s, a, _ := storedMedia(t, mediatest.MP4(10_000), "video/mp4")
	_, err := s.Fit(t.Context(), a, publish.ClassRules{MaxBytes: 100})
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != "unfit" {
		t.Errorf("got %+v", e)
	}
}
