package postfile

import (
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Media is one file of a post. Parse does not open it.
type Media struct {
	File Value  // as it is written: relative to the directory of the post file, with slashes
	Alt  Value  // Line is 0 if the post file does not give it
	Path string // File below the directory, with slashes; never outside of it
}

const mediaExample = `{file: images/a.png, alt: "A red door"}`

// media reads the list of files.
func (r *yamlReader) media(key Value, n ast.Node) (list []Media) {
	if n.Type() == ast.NullType {
		return nil
	}
	items, isList := n.(*ast.SequenceNode)
	if !isList {
		r.problem(n, "%q must be a list of files, such as [%s]", key.Text, mediaExample)
		return nil
	}
	for _, item := range items.Values {
		if _, isMap := item.(ast.MapNode); !isMap {
			r.problem(item, "%q has an entry that is not a file, such as %s", key.Text, mediaExample)
			continue
		}
		m, good := r.mediaEntry(item)
		if !good {
			continue
		}
		if i := slices.IndexFunc(list, func(other Media) bool { return other.Path == m.Path }); i >= 0 {
			r.problems = append(r.problems, r.file.Problemf(m.File.Line, "the file %q is listed twice; a post can show a file once", clip(m.File.Text)))
			continue
		}
		list = append(list, m)
	}
	return list
}

// mediaEntry reads one file of the list.
func (r *yamlReader) mediaEntry(n ast.Node) (m Media, good bool) {
	before := len(r.problems)
	r.mapping(n, func(key Value, value ast.Node) {
		switch key.Text {
		case "file":
			m.File = r.text(key, value)
		case "alt":
			m.Alt = r.text(key, value)
			m.Alt.Text = strings.TrimRight(m.Alt.Text, "\n")
		default:
			r.problems = append(r.problems, r.file.Problemf(key.Line, "unknown key %q; the keys of a file are file and alt", clip(key.Text)))
		}
	})
	if len(r.problems) > before {
		return m, false
	}
	if m.File.Text == "" {
		r.problem(n, "the entry names no file; write it as %s", mediaExample)
		return m, false
	}
	var fault string
	if m.Path, fault = mediaPath(r.file.Path, m.File.Text); fault != "" {
		r.problems = append(r.problems, r.file.Problemf(m.File.Line, "the file %q %s", clip(m.File.Text), fault))
		return m, false
	}
	return m, true
}

// mediaPath returns the path of a file below the directory, or why it cannot be used.
// The file may not exist.
func mediaPath(post, file string) (name, fault string) {
	const outside = "must be inside the directory of the post files; copy the file there, and write its path relative to this file"
	switch {
	case strings.ContainsRune(file, 0):
		return "", "has a NUL character in its name"
	case strings.Contains(file, `\`):
		return "", "has a backslash in its path; separate directories with /"
	case strings.HasPrefix(file, "/"), len(file) > 1 && file[1] == ':':
		return "", outside
	case strings.HasSuffix(file, "/"):
		return "", "is a directory; name one file"
	}
	name = path.Join(path.Dir(post), file)
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", outside
	}
	if name == "." {
		return "", "is a directory; name one file"
	}
	return name, ""
}
