package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
)

// Limits of the file of shown posts.
const (
	maxShownFile   = 256 << 10 // bytes, after which the file is renamed and a new one starts
	maxShownFields = 100       // posts at once whose fields are kept; of others only the versions are
	maxShownField  = 300       // bytes of a field
)

// Shown is a post as this machine showed it last.
type Shown struct {
	ID      string            `json:"id"`
	Version int64             `json:"version"`
	Fields  map[string]string `json:"fields,omitempty"` // as in [ShownFields]; nil if only the version is known
}

// NewShown returns a post as it is shown now.
func NewShown(p apiv1.Post) Shown { return Shown{ID: p.ID, Version: p.Version, Fields: ShownFields(p)} }

// shownFile returns the file of the posts that were shown, empty without a state directory.
// Each daemon or context has its own file. Processes append lines to it, so that none is lost
// when several run at once; the last line about a post counts.
func (a *App) shownFile() string {
	if a.StateHome == "" || a.peer == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(a.peer))
	return filepath.Join(a.StateHome, "schedctl", "shown", hex.EncodeToString(sum[:8])+".jsonl")
}

// RememberShown stores the versions of posts that the command shows or has changed, so that a
// later change can tell whether someone else changed them in between. A failure is only
// logged.
func (a *App) RememberShown(posts ...apiv1.Post) {
	if err := a.writeShown(posts); err != nil {
		a.Logger().Debug("versions of posts not kept", "error", err)
	}
}

func (a *App) writeShown(posts []apiv1.Post) error {
	name := a.shownFile()
	if name == "" || len(posts) == 0 {
		return nil
	}
	var lines bytes.Buffer
	for _, p := range posts {
		s := Shown{ID: p.ID, Version: p.Version}
		if len(posts) <= maxShownFields {
			s = NewShown(p)
		}
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	rotateShown(name)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(lines.Bytes())
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// rotateShown renames a file that is too long to the old one, which is read too: also a process
// that has it open loses no line. A directory is the lock, so that of several processes one
// renames the file. The others append to it.
func rotateShown(name string) {
	tooLong := func() bool {
		info, err := os.Stat(name)
		return err == nil && info.Size() > maxShownFile
	}
	if !tooLong() {
		return
	}
	lock := name + ".lock"
	if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > time.Minute {
		os.Remove(lock) // of a process that was killed
	}
	if os.Mkdir(lock, 0o700) != nil {
		return
	}
	defer os.Remove(lock)
	if tooLong() {
		os.Rename(name, name+".old")
	}
}

// LastShown returns posts as they were shown last, by id, without those that were never
// shown. A post that was restored from a backup can have a lower version than before.
func (a *App) LastShown(ids ...string) map[string]Shown {
	shown := map[string]Shown{}
	name := a.shownFile()
	if name == "" {
		return shown
	}
	asked := map[string]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	for _, file := range []string{name + ".old", name} {
		data, _ := os.ReadFile(file)
		for line := range bytes.Lines(data) {
			var one Shown
			if json.Unmarshal(line, &one) == nil && asked[one.ID] {
				shown[one.ID] = one
			}
		}
	}
	return shown
}

// ShownField is a field of a post that a person can change.
type ShownField struct {
	Name, Value string

	whole string // what the value is a short text of; empty if it is the value itself
}

// ShownFields returns the fields of a post that people change, by their names. Long values are
// cut. Behind those, and behind values that are short texts of what the post has, is a hash of
// the whole.
func ShownFields(p apiv1.Post) map[string]string {
	fields := map[string]string{}
	for _, f := range shownFields(p) {
		if len(f.Value) > maxShownField || f.whole != "" {
			sum := sha256.Sum256([]byte(FirstNonEmpty(f.whole, f.Value)))
			f.Value = strings.ToValidUTF8(f.Value[:min(len(f.Value), maxShownField)], "") + hashMark + hex.EncodeToString(sum[:4])
		}
		if f.Value != "" {
			fields[f.Name] = f.Value
		}
	}
	return fields
}

// hashMark stands before the hash of a value.
const hashMark = "… #"

// Text returns the value without its hash.
func (f ShownField) Text() string {
	text, _, _ := strings.Cut(f.Value, hashMark)
	return text
}

// shownFields returns the fields in the order in which differences name them.
func shownFields(p apiv1.Post) []ShownField {
	object := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil || string(text) == "null" || string(text) == "[]" {
			return ""
		}
		return string(text)
	}
	at := ""
	if p.PublishAt != nil {
		at = p.PublishAt.String()
	}
	list := []ShownField{
		{"status", string(p.Status), ""}, {"time", at, ""}, {"accounts", strings.Join(p.SocialAccountIDs, ", "), ""}, {"text", p.Content, ""},
		{"thread", strings.Join(Map(p.Thread, shownPart), " / "), object(p.Thread)}, {"first comment", shownPart(Deref(p.FirstComment)), object(p.FirstComment)},
		{"media", shownMedia(p.Media), object(p.Media)}, {"poll", shownPoll(p.Poll), object(p.Poll)},
		{"labels", strings.Join(p.Labels, ", "), ""}, {"overrides", strings.Join(Map(p.TargetOverrides, shownOverride), "; "), object(p.TargetOverrides)},
	}
	shown := fields.Presentation(&p)
	for _, f := range shown.Fields() {
		list = append(list, ShownField{strings.ToLower(f.Label), *f.Text, ""})
	}
	return append(list, ShownField{"title", Deref(p.Title), ""}, ShownField{"queue", Deref(p.QueueID), ""})
}

// Changes returns how a post differs from what was shown, field by field; nil if no field
// differs, or if the fields are not known. show formats the value of a field.
func (s Shown) Changes(now apiv1.Post, show func(ShownField) string) (list []string) {
	if s.Fields == nil {
		return nil
	}
	after := ShownFields(now)
	for _, f := range shownFields(now) {
		before := s.Fields[f.Name]
		if before == after[f.Name] {
			continue
		}
		text := func(value string) string {
			if value == "" {
				return "none"
			}
			return Clip(OneLine(show(ShownField{Name: f.Name, Value: value})), 60)
		}
		from, to := text(before), text(after[f.Name])
		if from == to { // the difference is in what is not shown
			list = append(list, fmt.Sprintf("%s: %s, changed", f.Name, to))
			continue
		}
		list = append(list, fmt.Sprintf("%s: %s -> %s", f.Name, from, to))
	}
	return list
}
