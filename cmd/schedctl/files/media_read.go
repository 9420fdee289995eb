package files

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// mediaFile is a file of the directory that was inspected.
type mediaFile struct {
	media.FileFacts
	fault string // why no post can show the file
}

// usesMedia reports whether a file of the directory lists media.
func (d *postFiles) usesMedia() bool {
	for i := range d.files {
		if list, _ := d.files[i].Media(); len(list) > 0 {
			return true
		}
	}
	return false
}

// readMedia inspects the media of a post file. It reads each file once, however many posts
// show it.
func (r *fileReader) readMedia(d *postfile.Document) {
	list, paths := d.Media()
	partOf := func(i int) string { part, _, _ := strings.Cut(paths[i], "media["); return part }
	counts, names := map[string]int{}, map[string]string{}
	for i := range list {
		counts[partOf(i)]++
	}
	limit, before := r.media.MaxMediaPerPost, map[string]int{}
	for i, m := range list {
		part := partOf(i)
		if before[part]++; counts[part] > limit {
			if before[part] == limit+1 {
				r.problemf(d, d.Line(paths[i]), "the post has %d files; the limit is %d", counts[part], limit)
			}
			continue
		}
		if err := schedctl.CheckAltText("", cli.Deref(m.AltText)); err != nil {
			r.problemf(d, d.Line(paths[i]+".alt_text"), "%s", post.RuleText(err))
		}
		file := r.inspect(d.MediaPath(m.ID))
		switch class := schedctl.MediaClassOf(file.MIMEType); {
		case file.fault != "":
			r.problemf(d, d.Line(paths[i]), "%s: %s", m.ID, file.fault)
			continue
		case names[part+file.SHA256] != "":
			r.problemf(d, d.Line(paths[i]), "%s has the same bytes as %s; a post can show a file once", m.ID, names[part+file.SHA256])
		case paths[i] == "link_preview.image" && class != schedctl.MediaImage && class != schedctl.MediaGIF:
			r.problemf(d, d.Line(paths[i]), "%s: the image of a card must be a picture", m.ID)
		}
		names[part+file.SHA256] = m.ID
		r.paths[file.SHA256] = d.MediaPath(m.ID)
	}
}

// files returns the state of a file that was inspected.
func (w *wantedPost) files(_ string, m apiv1.PostMedia) (mediaState, bool) {
	name := w.doc.MediaPath(m.ID)
	file, known := w.inspected[name]
	return mediaState{SHA256: file.SHA256, Alt: cli.Deref(m.AltText), Name: name, Size: file.Size}, known && file.fault == ""
}

// folder is the directory with the media of the post files.
func (d *postFiles) folder() media.Folder {
	return media.Folder{
		Dir: d.dir, Name: "the directory of the post files", Relative: "the post file",
		Advice: "copy the file there",
	}
}

// inspect returns the facts of a file below the directory.
func (r *fileReader) inspect(name string) mediaFile {
	file, known := r.inspected[name]
	if !known {
		var err error
		if file.FileFacts, err = r.folder().Inspect(context.Background(), name, r.media); err != nil {
			file.fault = r.folder().Fault(name, err)
		}
		r.inspected[name] = file
	}
	return file
}

// shownMediaName returns the name of a file as an upload carries it.
func shownMediaName(name string) string {
	if base := path.Base(name); utf8.ValidString(base) {
		return schedctl.CleanFileName(base)
	}
	return "file"
}
