package postfile

import (
	"errors"
	"fmt"
	"io/fs"
)

// ConfigName is the name of the settings file in a directory of post files.
const ConfigName = "schedctl.yaml"

// Config holds the settings of a directory.
type Config struct {
	Collection Value // empty when the file does not name one
	Source     Value // the name of the repository where no other is known; may be empty
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
	Label    Value   // empty for all posts
}

// Problemf returns a problem in the settings file.
func (c *Config) Problemf(line int, format string, args ...any) Problem {
	d := Document{Path: ConfigName}
	return d.Problemf(line, format, args...)
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
	d := &decoder{Document: &Document{Path: ConfigName}}
	if len(data) > maxFront || firstInvalid(data) >= 0 {
		d.problem(Position{}, "the file must be UTF-8 text of at most 64 KiB")
		return c, d.problems
	}
	yaml := yamlReader{path: ConfigName, what: "the file"}
	for _, e := range yaml.document(string(data)) {
		switch e.name {
		case "collection":
			c.Collection = d.value(e)
		case "source":
			c.Source = d.value(e)
		case "queues":
			d.items(e, func(v value) { c.Queues = append(c.Queues, d.queue(v)) })
		case "blackouts":
			d.items(e, func(v value) { c.Blackouts = append(c.Blackouts, d.blackout(v)) })
		default:
			d.problem(e.at, "unknown key %q; the keys are collection, source, queues and blackouts", clip(e.name))
		}
	}
	return c, append(yaml.problems, d.problems...)
}

// items reads a list. A missing value is an empty list.
func (d *decoder) items(e entry, read func(value)) {
	if e.kind != isList && e.kind != isNull {
		d.problem(e.value.at, "%q must be a list, not %s", clip(e.name), e.what())
	}
	for _, item := range e.items {
		if item.kind != isObject {
			d.problem(item.at, "%s", notMapping)
		}
		read(item)
	}
}

// value reads a text with its line.
func (d *decoder) value(e entry) Value { return Value{d.text(e), e.value.at.Line} }

func (d *decoder) values(e entry) (list []Value) {
	for i, text := range d.list(e.name, e) {
		list = append(list, Value{text, d.Where(fmt.Sprintf("%s[%d]", e.name, i)).Line})
	}
	return list
}

func (d *decoder) queue(v value) Queue {
	q := Queue{Line: v.at.Line}
	for _, e := range v.entries {
		switch e.name {
		case "name":
			q.Name = d.value(e)
		case "tz":
			q.TZ = d.value(e)
		case "slots":
			q.Slots = d.values(e)
		case "accounts":
			q.Accounts = d.values(e)
		case "gap":
			q.Gap = d.value(e)
		case "default":
			q.Default = d.value(e)
		default:
			d.unknown(e, "a queue", "name, tz, slots, accounts, gap and default")
		}
	}
	return q
}

func (d *decoder) blackout(v value) Blackout {
	b := Blackout{Line: v.at.Line}
	for _, e := range v.entries {
		switch e.name {
		case "reason":
			b.Reason = d.value(e)
		case "from":
			b.From = d.value(e)
		case "to":
			b.To = d.value(e)
		case "tz":
			b.TZ = d.value(e)
		case "accounts":
			b.Accounts = d.values(e)
		case "mode":
			b.Mode = d.value(e)
		case "label":
			b.Label = d.value(e)
		default:
			d.unknown(e, "a blackout", "reason, from, to, tz, accounts, mode and label")
		}
	}
	return b
}
