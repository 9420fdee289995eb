package postfile

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// maxFiles is the maximum number of files in one directory.
const maxFiles = 100_000

// ReadDir reads the post files in a directory and its subdirectories, sorted by
// path. Post files end in .md or .markdown. It skips README.md and names that start
// with a dot or an underscore. Two files with the same id are a problem.
func ReadDir(dir fs.FS) ([]Document, []Problem, error) {
	var files []Document
	var problems []Problem
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !isPost(d.Name()):
			return nil
		case !d.Type().IsRegular():
			problems = append(problems, Problem{name, 1, "this is not a regular file; links are not followed"})
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("the directory has more than %d files", maxFiles)
		}
		f, found, err := readFile(dir, name)
		files, problems = append(files, f), append(problems, found...)
		return err
	})
	return files, append(problems, duplicateIDs(files)...), err
}

func isPost(name string) bool {
	lower := strings.ToLower(name)
	ext := path.Ext(lower)
	return (ext == ".md" || ext == ".markdown") && lower != "readme.md"
}

func readFile(dir fs.FS, name string) (Document, []Problem, error) {
	data, err := readAll(dir, name)
	if err != nil {
		return Document{}, nil, err
	}
	f, problems := Parse(name, data)
	return f, problems, nil
}

// readAll reads slightly more than the maximum file size.
func readAll(dir fs.FS, name string) ([]byte, error) {
	in, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, maxFile+1))
}

// duplicateIDs reports files with the same id.
func duplicateIDs(files []Document) (problems []Problem) {
	first := map[string]*Document{}
	for i := range files {
		d := &files[i]
		if d.ID == "" {
			continue
		}
		if other := first[d.ID]; other != nil {
			problems = append(problems, d.Problemf(d.Line("id"), "the id %q is also used in %s:%d", clip(d.ID), other.Path, other.Line("id")))
			continue
		}
		first[d.ID] = d
	}
	return problems
}
