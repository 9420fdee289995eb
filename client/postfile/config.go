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
	Queues     []Queue
	Blackouts  []Blackout
}

// Queue is a queue that a settings file describes. The caller interprets the texts.
type Queue struct {
	Line     int
	Name     Value
	TZ       Value
	Slots    []Value
	Accounts []Value // empty for all
	Gap      Value
	Default  Value // true or false
}

// Blackout is a blackout that a settings file describes. The caller interprets the texts.
type Blackout struct {
	Line     int
	Reason   Value
	From     Value
	To       Value // empty for an open end
	TZ       Value
	Accounts []Value // empty for all
	Mode     Value   // avoid, hold, or empty for avoid
}

// Problemf returns a problem in the settings file.
func (c *Config) Problemf(line int, format string, args ...any) Problem {
	f := File{Path: ConfigName}
	return f.Problemf(line, format, args...)
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
		switch key.Text {
		case "collection":
			c.Collection = r.text(key, value)
		case "queues":
			r.items(key, value, func(n ast.Node) { c.Queues = append(c.Queues, r.queue(n)) })
		case "blackouts":
			r.items(key, value, func(n ast.Node) { c.Blackouts = append(c.Blackouts, r.blackout(n)) })
		default:
			r.problems = append(r.problems, r.file.Problemf(key.Line, "unknown key %q; the keys are collection, queues and blackouts", clip(key.Text)))
		}
	})
	return c, r.problems
}

// items reads a list. A missing value is an empty list.
func (r *yamlReader) items(key Value, n ast.Node, read func(ast.Node)) {
	list, isList := n.(*ast.SequenceNode)
	switch {
	case n.Type() == ast.NullType:
	case !isList:
		r.problem(n, "%q must be a list, not %s", clip(key.Text), kind(n))
	default:
		for _, item := range list.Values {
			read(item)
		}
	}
}

func (r *yamlReader) queue(n ast.Node) Queue {
	q := Queue{Line: r.line(n.GetToken())}
	r.mapping(n, func(key Value, value ast.Node) {
		switch key.Text {
		case "name":
			q.Name = r.text(key, value)
		case "tz":
			q.TZ = r.text(key, value)
		case "slots":
			q.Slots = r.list(key, value)
		case "accounts":
			q.Accounts = r.list(key, value)
		case "gap":
			q.Gap = r.text(key, value)
		case "default":
			q.Default = r.text(key, value)
		default:
			r.unknown(key, "a queue", "name, tz, slots, accounts, gap and default")
		}
	})
	return q
}

func (r *yamlReader) blackout(n ast.Node) Blackout {
	b := Blackout{Line: r.line(n.GetToken())}
	r.mapping(n, func(key Value, value ast.Node) {
		switch key.Text {
		case "reason":
			b.Reason = r.text(key, value)
		case "from":
			b.From = r.text(key, value)
		case "to":
			b.To = r.text(key, value)
		case "tz":
			b.TZ = r.text(key, value)
		case "accounts":
			b.Accounts = r.list(key, value)
		case "mode":
			b.Mode = r.text(key, value)
		default:
			r.unknown(key, "a blackout", "reason, from, to, tz, accounts and mode")
		}
	})
	return b
}
