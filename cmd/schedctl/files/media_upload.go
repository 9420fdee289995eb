package files

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// assets are the ready assets of the workspace. Its methods may be called from any
// goroutine.
type assets struct {
	mu  sync.Mutex
	ids map[string]string // mu guards ids: ids of assets by the hashes of their bytes
}

func (a *assets) id(sha256 string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ids[sha256]
}

func (a *assets) add(list ...apiv1.MediaAsset) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ids == nil {
		a.ids = map[string]string{}
	}
	for _, asset := range list {
		if sum := cli.Deref(asset.SHA256); sum != "" && asset.Status == schedctl.MediaReady {
			a.ids[sum] = asset.ID
		}
	}
}

// missing returns the media of a post that the workspace does not have.
func (p *planner) missing(w wantedPost) (list []mediaState) {
	if w.doc == nil {
		return nil
	}
	media, paths := w.doc.Media()
	for i, m := range media {
		if file, known := w.files(paths[i], m); known && p.assets.id(file.SHA256) == "" {
			list = append(list, file)
		}
	}
	return list
}

// findAssets finds the assets that have the bytes of the files that change posts. It
// reads the list of assets only if the posts of the collection do not have them.
func (p *planner) findAssets(ctx context.Context) error {
	for i := range p.steps {
		p.assets.add(p.steps[i].post.MediaAssets...)
	}
	if len(p.uploads()) == 0 {
		return nil
	}
	for asset, err := range p.client.EachMediaAsset(ctx, client.MediaQuery{Limit: pageOfAssets}) {
		if err != nil {
			return err
		}
		p.assets.add(asset)
	}
	return nil
}

const pageOfAssets = 100

// changing returns the posts and series that are created or changed.
func (p *planner) changing() (list []wantedPost) {
	for i := range p.steps {
		if s := &p.steps[i]; s.does() {
			list = append(list, s.wanted)
		}
	}
	for _, s := range p.series {
		if s.wanted != nil && s.make != nil {
			list = append(list, *s.wanted)
		}
	}
	return list
}

// uploads returns the files that the workspace does not have and that changes need,
// each once.
func (p *planner) uploads() (list []mediaState) {
	for _, w := range p.changing() {
		for _, m := range p.missing(w) {
			if !slices.ContainsFunc(list, func(other mediaState) bool { return other.SHA256 == m.SHA256 }) {
				list = append(list, m)
			}
		}
	}
	return list
}

// tellUploads reports the files that the networks cannot check yet.
func (p *planner) tellUploads() {
	if n := len(p.uploads()); n > 0 {
		p.Messagef("not checked: whether the networks accept %s; apply uploads them first", cli.Plural(n, "file"))
	}
}

// uploadAll uploads the missing files, and then validates the posts that need them. It
// changes no post. After an interruption, the next apply continues with the files that
// are still missing.
func (p *planner) uploadAll(ctx context.Context) error {
	list := p.uploads()
	if len(list) == 0 {
		return nil
	}
	late := map[string]bool{}
	for i := range p.steps {
		late[p.steps[i].ID] = len(p.missing(p.steps[i].wanted)) > 0
	}
	lateSeries := slices.Clone(p.series)
	lateSeries = slices.DeleteFunc(lateSeries, func(s setting) bool { return s.wanted == nil || len(p.missing(*s.wanted)) == 0 })
	bar := p.NewProgress("uploading", len(list))
	defer bar.Clear()
	done := 0
	err := cli.RunEachInOrder(ctx, list, func(ctx context.Context, m *mediaState) error {
		return p.upload(ctx, *m)
	}, func(m mediaState, err error) error {
		if err != nil {
			return fmt.Errorf("upload %s: %w", m.Name, err)
		}
		done++
		bar.Step()
		return nil
	})
	if err != nil {
		return fmt.Errorf("stopped after %d of %s: %w; no post was changed; run the same command again to continue", done, cli.Plural(len(list), "upload"), err)
	}
	if err := p.validateSeries(ctx, lateSeries); err != nil {
		return err
	}
	return p.validate(ctx, func(s *step) bool { return late[s.ID] })
}

// upload uploads a file. Two applies that upload the same bytes get the same asset.
func (p *planner) upload(ctx context.Context, m mediaState) error {
	in, size, err := p.folder().Open(p.paths[m.SHA256])
	if err != nil {
		return fmt.Errorf("%s", p.folder().Fault(p.paths[m.SHA256], err))
	}
	defer in.Close()
	done, err := p.client.UploadMedia(ctx, client.UploadFile{
		Name: shownMediaName(m.Name), Size: size, AltText: m.Alt, SHA256: m.SHA256,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(in, 0, size)), nil },
	})
	if err != nil {
		return err
	}
	if cli.Deref(done.MediaAsset.SHA256) != m.SHA256 {
		return fmt.Errorf("the file changed while it was uploaded")
	}
	p.assets.add(done.MediaAsset)
	return nil
}

// uploadMissing uploads the files of a post that the workspace does not have.
func (p *planner) uploadMissing(ctx context.Context, w wantedPost) error {
	for _, m := range p.missing(w) {
		if p.assets.id(m.SHA256) != "" {
			continue // another part shows the same file
		}
		if err := p.upload(ctx, m); err != nil {
			return fmt.Errorf("upload %s: %w", m.Name, err)
		}
	}
	return nil
}

// withAssets returns the request for a post with the assets for its files. It leaves out files that the
// workspace does not have. Every file has its alt text in the request, because that of the
// asset may differ.
func (p *planner) withAssets(w wantedPost) apiv1.CreatePost {
	return postfile.MapMedia(w.request, func(path string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		file, _ := w.files(path, m)
		id := p.assets.id(file.SHA256)
		return apiv1.PostMedia{ID: id, AltText: new(cli.Deref(m.AltText))}, id != ""
	})
}
