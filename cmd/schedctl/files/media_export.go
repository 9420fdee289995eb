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

// addMedia adds the media of a post to its file, and returns their assets in the order of
// [postfile.File.AllMedia]. It leaves out media whose assets the post does not list.
func (a *adopter) addMedia(f *postfile.File, p apiv1.Post) (assets []apiv1.MediaAsset) {
	add := func(list []apiv1.PostMedia) []postfile.Media {
		media, found := a.mediaOf(list, p.MediaAssets)
		assets = append(assets, found...)
		return media
	}
	f.Media = add(p.Media)
	for i := range f.Thread {
		f.Thread[i].Media = add(p.Thread[i].Media)
	}
	if f.FirstComment != nil {
		f.FirstComment.Media = add(p.FirstComment.Media)
	}
	if card := p.LinkPreview.Card; card != nil && card.Image != nil {
		for _, m := range add([]apiv1.PostMedia{{ID: *card.Image}}) {
			f.LinkPreview.Card.Image = &m
		}
	}
	for i := range f.Overrides {
		o, of := &f.Overrides[i], overrideOf(p, a, f.Overrides[i].Account.Text)
		if o.Media != nil && of.Media != nil {
			*o.Media = add(*of.Media)
		}
		if o.Thread != nil && of.Thread != nil {
			for j := range *o.Thread {
				(*o.Thread)[j].Media = add((*of.Thread)[j].Media)
			}
		}
	}
	return assets
}

// overrideOf returns the override of a post for an account that its file names.
func overrideOf(p apiv1.Post, a *adopter, account string) apiv1.Override {
	for _, o := range p.TargetOverrides {
		if account == cli.FirstNonEmpty(a.names[o.SocialAccountID], o.SocialAccountID) {
			return o
		}
	}
	return apiv1.Override{}
}

// mediaOf returns the media of a part for its file, and their assets among those of the
// post. The paths are free, or those of files with the same bytes.
func (a *adopter) mediaOf(media []apiv1.PostMedia, all []apiv1.MediaAsset) (list []postfile.Media, assets []apiv1.MediaAsset) {
	for _, m := range mediaStates(media, all) {
		i := slices.IndexFunc(all, func(asset apiv1.MediaAsset) bool { return asset.SHA256 != nil && *asset.SHA256 == m.SHA256 })
		if i < 0 {
			return nil, nil // the file then differs from the post
		}
		name := a.newMediaPath(all[i])
		list = append(list, postfile.Media{File: postfile.Value{Text: name}, Path: name, Alt: postfile.Value{Text: m.Alt}})
		assets = append(assets, all[i])
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
