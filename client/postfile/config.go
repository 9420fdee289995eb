package postfile

import (
	"errors"
	"io/fs"

	"github.com/goccy/go-yaml/ast"
)

// ConfigName is the name of the settings file in a directory of post files.
const ConfigName = "schedctl.yaml"

// Config holds the settings of a directory.
type Config struct {
	Collection Value // empty when the file does not name one
}

// ReadConfig reads the settings of a directory. It returns the zero Config if the
// file is missing.
func ReadConfig(dir fs.FS) (Config, []Problem, error) {
	data, err := readAll(dir, ConfigName)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil, nil
	}
	c, problems := ParseConfig(data)
	return c, problems, err
}

// ParseConfig parses the text of a settings file.
func ParseConfig(data []byte) (c Config, problems []Problem) {
	r := &yamlReader{file: &File{Path: ConfigName}, what: "the file"}
	if len(data) > maxFront || firstInvalid(data) >= 0 {
		r.problem(nil, "the file must be UTF-8 text of at most 64 KiB")
		return c, r.problems
	}
	r.document(string(data), func(key Value, value ast.Node) {
		if key.Text != "collection" {
			r.problems = append(r.problems, r.file.Problemf(key.Line, "unknown key %q; the only key is collection", clip(key.Text)))
			return
		}
		c.Collection = r.text(key, value)
	})
	return c, r.problems
}
