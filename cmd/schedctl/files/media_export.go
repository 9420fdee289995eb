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
	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// mediaDir is the directory of the media that export writes.
const mediaDir = "images"

// mediaOf returns the media of a post for its file, and their assets. The paths are free,
// or those of files with the same bytes.
func (a *adopter) mediaOf(p apiv1.Post) (list []postfile.Media, assets []apiv1.MediaAsset) {
	for _, m := range mediaStates(p.Media, p.MediaAssets) {
		i := slices.IndexFunc(p.MediaAssets, func(asset apiv1.MediaAsset) bool { return asset.SHA256 != nil && *asset.SHA256 == m.SHA256 })
		if i < 0 {
			return nil, nil // which no file can hold
		}
		name := a.newMediaPath(p.MediaAssets[i])
		list = append(list, postfile.Media{File: postfile.Value{Text: name}, Path: name, Alt: postfile.Value{Text: m.Alt}})
		assets = append(assets, p.MediaAssets[i])
	}
	return list, assets
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
	in, _, err := openMedia(dir, name)
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
	for i, m := range f.media {
		if err := a.saveAsset(ctx, f.assets[i], m.Path); err != nil {
			return fmt.Errorf("write %s: %w", m.Path, err)
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
	_, err = a.client.MediaContent(ctx, asset.ID, io.MultiWriter(out, hash))
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
