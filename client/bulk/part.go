package bulk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/threadtext"
)

// Part is one further part of a thread, or the first comment. In CSV it is a text; in
// JSON Lines it is a text, or an object if it has media.
type Part struct {
	Content string   `json:"content"`
	Media   []string `json:"media,omitempty"` // as in Row
	Alt     []string `json:"alt,omitempty"`
}

// MarshalJSON returns the wire form.
func (p Part) MarshalJSON() ([]byte, error) {
	if len(p.Media) == 0 {
		return unescaped(p.Content)
	}
	type object Part
	return unescaped(object(p))
}

// UnmarshalJSON reads a text or an object.
func (p *Part) UnmarshalJSON(b []byte) error {
	*p = Part{}
	if bytes.HasPrefix(b, []byte("{")) {
		type object Part
		return readStrictly(b, (*object)(p))
	}
	return json.Unmarshal(b, &p.Content)
}

// Preview says which card a network shows for a link. In CSV it is a mode; in JSON Lines
// it is a mode or a card.
type Preview struct {
	Mode string `json:"-"` // auto or none; empty for a card, and if the file does not say
	Card *Card  `json:"-"`
}

// Card is a card for a link.
type Card struct {
	URL         string `json:"url"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Image       string `json:"image,omitempty"` // the path of a file, or an id
}

// MarshalJSON returns the wire form.
func (p Preview) MarshalJSON() ([]byte, error) {
	if p.Card != nil {
		return unescaped(p.Card)
	}
	return unescaped(p.Mode)
}

// UnmarshalJSON reads a mode or a card.
func (p *Preview) UnmarshalJSON(b []byte) error {
	*p = Preview{}
	if bytes.HasPrefix(b, []byte("{")) {
		p.Card = new(Card)
		return readStrictly(b, p.Card)
	}
	return json.Unmarshal(b, &p.Mode)
}

func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// readStrictly reads an object without unknown keys.
func readStrictly(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// joinParts returns the texts of parts for CSV.
func joinParts(parts []Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Content
	}
	return threadtext.Join(texts)
}

// splitParts is the inverse of joinParts.
func splitParts(text string) (parts []Part) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for _, part := range threadtext.Split(text) {
		parts = append(parts, Part{Content: part})
	}
	return parts
}

// readBool reads a field of CSV.
func readBool(column, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "", "false", "no", "0":
		return false, nil
	case "true", "yes", "1":
		return true, nil
	}
	return false, fmt.Errorf("%q must be true or false, not %s", column, quoted(value))
}

func writeBool(v bool) string {
	if v {
		return "true"
	}
	return ""
}

// texts returns all texts of a row.
func (r *Row) texts() []string {
	list := slices.Concat([]string{r.ID, r.Content, r.At, r.TZ, r.PollFor, r.ContentWarning, r.Visibility, r.Language, r.LinkPreview.Mode,
		r.Title, r.PostStyle, r.Queue, r.NotBefore}, r.To, r.Media, r.Alt, r.Poll, r.Labels)
	parts := r.Thread
	for _, o := range r.Overrides {
		list = append(list, o.texts()...)
		if o.Thread != nil {
			parts = append(slices.Clone(parts), *o.Thread...)
		}
	}
	if r.FirstComment != nil {
		parts = append(slices.Clone(parts), *r.FirstComment)
	}
	for _, p := range parts {
		list = append(append(append(list, p.Content), p.Media...), p.Alt...)
	}
	if c := r.LinkPreview.Card; c != nil {
		list = append(list, c.URL, c.Title, c.Description, c.Image)
	}
	return list
}
