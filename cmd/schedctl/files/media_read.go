package files

import (
	"context"
	"path"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
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
		if len(d.files[i].AllMedia()) > 0 {
			return true
		}
	}
	return false
}

// readMedia inspects the media of a part of a post file. It reads each file once, however
// many posts show it.
func (r *fileReader) readMedia(f *postfile.File, list []postfile.Media) (states []mediaState) {
	if n, limit := len(list), r.media.MaxMediaPerPost; n > limit {
		r.problemf(f, list[limit].File.Line, "the post has %d files; the limit is %d", n, limit)
		return nil
	}
	names := map[string]string{}
	for _, m := range list {
		if err := schedctl.CheckAltText("", m.Alt.Text); err != nil {
			r.problemf(f, m.Alt.Line, "%s", post.RuleText(err))
		}
		file := r.inspect(m.Path)
		switch {
		case file.fault != "":
			r.problemf(f, m.File.Line, "%s: %s", m.File.Text, file.fault)
			continue
		case names[file.SHA256] != "":
			r.problemf(f, m.File.Line, "%s has the same bytes as %s; a post can show a file once", m.File.Text, names[file.SHA256])
		}
		names[file.SHA256] = m.File.Text
		states = append(states, mediaState{SHA256: file.SHA256, Alt: m.Alt.Text, Name: m.Path, Size: file.Size})
		r.paths[file.SHA256] = m.Path
	}
	return states
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
