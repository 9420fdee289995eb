package bulk

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// Writer writes rows so that a [Reader] returns the same rows. The output is
// complete after [Writer.Flush]. A Writer must not be used by several goroutines at
// once.
//
// Texts are written unchanged. Spreadsheets read a text that starts with "=", "+",
// "-" or "@" as a formula; escaping it would change the post.
type Writer struct {
	csv   *csv.Writer   // or nil
	json  *json.Encoder // or nil
	lines *bufio.Writer // below json
	begun bool
}

// NewWriter returns a writer in a format.
func NewWriter(w io.Writer, f Format) *Writer {
	if f == JSONL {
		lines := bufio.NewWriter(w)
		enc := json.NewEncoder(lines)
		enc.SetEscapeHTML(false)
		return &Writer{json: enc, lines: lines}
	}
	return &Writer{csv: csv.NewWriter(w)}
}

// object is a row in JSON Lines.
type object struct {
	ID      string   `json:"id"`
	Content string   `json:"content"`
	To      []string `json:"to"`
	At      string   `json:"at"`
	TZ      string   `json:"tz"`
	Media   []string `json:"media,omitempty"`
	Alt     []string `json:"alt,omitempty"`

	Thread         []Part   `json:"thread,omitempty"`
	FirstComment   *Part    `json:"first_comment,omitempty"`
	Poll           []string `json:"poll,omitempty"`
	PollFor        string   `json:"poll_for,omitempty"`
	PollMultiple   bool     `json:"poll_multiple,omitempty"`
	PollHideTotals bool     `json:"poll_hide_totals,omitempty"`
	ContentWarning string   `json:"content_warning,omitempty"`
	Visibility     string   `json:"visibility,omitempty"`
	Language       string   `json:"language,omitempty"`
	LinkPreview    *Preview `json:"link_preview,omitempty"`

	Title     string     `json:"title,omitempty"`
	PostStyle string     `json:"post_style,omitempty"`
	Labels    []string   `json:"labels,omitempty"`
	Queue     string     `json:"queue,omitempty"`
	NotBefore string     `json:"not_before,omitempty"`
	Overrides []Override `json:"overrides,omitempty"`
}

// Write adds a row. In CSV an account in To must not hold a semicolon. CSV leaves out the
// media of parts, the card of a link, and overrides.
func (w *Writer) Write(r Row) error {
	if w.json != nil {
		o := object{
			ID: r.ID, Content: r.Content, To: append([]string{}, r.To...), At: r.At, TZ: r.TZ, Media: r.Media, Alt: r.Alt,
			Thread: r.Thread, FirstComment: r.FirstComment, Poll: r.Poll, PollFor: r.PollFor, PollMultiple: r.PollMultiple,
			PollHideTotals: r.PollHideTotals, ContentWarning: r.ContentWarning, Visibility: r.Visibility, Language: r.Language,
			Title: r.Title, PostStyle: r.PostStyle, Labels: r.Labels, Queue: r.Queue, NotBefore: r.NotBefore, Overrides: r.Overrides,
		}
		if r.LinkPreview != (Preview{}) {
			o.LinkPreview = &r.LinkPreview
		}
		return w.json.Encode(o)
	}
	if err := w.header(); err != nil {
		return err
	}
	comment := ""
	if r.FirstComment != nil {
		comment = r.FirstComment.Content
	}
	return w.csv.Write([]string{
		r.ID, r.Content, strings.Join(r.To, ";"), r.At, r.TZ, joinList(r.Media), joinList(r.Alt), joinParts(r.Thread), comment,
		joinList(r.Poll), r.PollFor, writeBool(r.PollMultiple), writeBool(r.PollHideTotals), r.ContentWarning, r.Visibility, r.Language, r.LinkPreview.Mode,
		r.Title, r.PostStyle, joinList(r.Labels), r.Queue, r.NotBefore,
	})
}

func (w *Writer) header() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.csv.Write(columns)
}

// Flush writes what is left, and of CSV the header when there was no row.
func (w *Writer) Flush() error {
	if w.json != nil {
		return w.lines.Flush()
	}
	if err := w.header(); err != nil {
		return err
	}
	w.csv.Flush()
	return w.csv.Error()
}
