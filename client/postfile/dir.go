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
func ReadDir(dir fs.FS) ([]File, []Problem, error) {
	var files []File
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

func readFile(dir fs.FS, name string) (File, []Problem, error) {
	data, err := readAll(dir, name)
	if err != nil {
		return File{}, nil, err
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
func duplicateIDs(files []File) (problems []Problem) {
	first := map[string]*File{}
	for i := range files {
		f := &files[i]
		if f.ID.Text == "" {
			continue
		}
		if other := first[f.ID.Text]; other != nil {
			problems = append(problems, f.Problemf(f.ID.Line, "the id %q is also used in %s:%d", clip(f.ID.Text), other.Path, other.ID.Line))
			continue
		}
		first[f.ID.Text] = f
	}
	return problems
}
