package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// mediaDir is the directory of the media that export writes.
const mediaDir = "images"

// nameMedia replaces the ids of files in a document by paths, which are free or those of
// files with the same bytes, and adds them to f. It returns the reason why a file of the
// post cannot be written.
func (a *adopter) nameMedia(d *postfile.Document, p apiv1.Post, f *described) (reason string) {
	d.Post = postfile.MapMedia(d.Post, func(_ string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		i := slices.IndexFunc(p.MediaAssets, func(asset apiv1.MediaAsset) bool { return asset.ID == m.ID })
		if i < 0 || cli.Deref(p.MediaAssets[i].SHA256) == "" {
			reason = "the upload of a file is not confirmed"
			return m, false
		}
		name := a.newMediaPath(p.MediaAssets[i])
		f.media, f.assets = append(f.media, name), append(f.assets, p.MediaAssets[i])
		return apiv1.PostMedia{ID: name, AltText: new(strings.TrimRight(cli.Deref(m.AltText), "\n"))}, true
	})
	return reason
}

// newMediaPath returns the path for the file of an asset.
func (a *adopter) newMediaPath(asset apiv1.MediaAsset) string {
	base := strings.Trim(notInNames.ReplaceAllString(schedctl.CleanFileName(asset.FileName), "-"), "-._")
	ext := path.Ext(base)
	if ext == "" {
		ext = mediafile.Extension(asset.MIMEType)
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	if stem == "" {
		stem = "file"
	}
	stem = stem[:min(len(stem), 80)]
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s/%s%s", mediaDir, stem, ext)
		if n > 1 {
			name = fmt.Sprintf("%s/%s-%d%s", mediaDir, stem, n, ext)
		}
		owner, taken := a.mediaPaths[name]
		if !taken {
			owner = hashOf(a.dir, name)
		}
		if owner == "" || owner == *asset.SHA256 {
			a.mediaPaths[name] = *asset.SHA256
			return name
		}
	}
}

// hashOf returns the hash of a file below the directory: "" if the name is free, and
// "?" if it belongs to something other than a regular file.
func hashOf(dir, name string) string {
	in, _, err := media.Folder{Dir: dir}.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "?"
	}
	defer in.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return "?"
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// saveMedia writes the media of a file.
func (a *adopter) saveMedia(ctx context.Context, f described) error {
	for i, name := range f.media {
		if err := a.saveAsset(ctx, f.assets[i], name); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// saveAsset writes the file of an asset, unless it exists.
func (a *adopter) saveAsset(ctx context.Context, asset apiv1.MediaAsset, name string) error {
	if hashOf(a.dir, name) == *asset.SHA256 {
		return nil
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	part := name + ".part"
	out, err := root.Create(part)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = a.client.MediaContent(ctx, asset.ID, media.UpTo(io.MultiWriter(out, hash), asset))
	if err = errors.Join(err, out.Close()); err == nil && hex.EncodeToString(hash.Sum(nil)) != *asset.SHA256 {
		err = fmt.Errorf("the download of %s is damaged; run the same command again", asset.ID)
	}
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		root.Remove(part)
	}
	return err
}
