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
}

// Write adds a row. In CSV an account in To must not hold a semicolon.
func (w *Writer) Write(r Row) error {
	if w.json != nil {
		return w.json.Encode(object{r.ID, r.Content, append([]string{}, r.To...), r.At, r.TZ, r.Media, r.Alt})
	}
	if err := w.header(); err != nil {
		return err
	}
	return w.csv.Write([]string{r.ID, r.Content, strings.Join(r.To, ";"), r.At, r.TZ, joinList(r.Media), joinList(r.Alt)})
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
