package postfile

import (
	"bufio"
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/threadtext"
)

// Writer writes rows so that a [Reader] returns the same documents. The output is
// complete after [Writer.Flush]. A Writer must not be used by several goroutines at
// once.
//
// Texts are written unchanged. Spreadsheets read a text that starts with "=", "+",
// "-" or "@" as a formula; escaping it would change the post.
type Writer struct {
	csv   *csv.Writer   // or nil
	lines *bufio.Writer // of JSON Lines, or nil

	// The first line of CSV names the columns with the texts for single accounts. So the
	// first maxWaiting rows wait for it, without the cells of those columns.
	waiting  []waitingRow
	header   bool     // the first line is written
	accounts []string // with columns, in their order
	lost     int      // rows with a text for an account without a column
}

// maxWaiting is how many rows of CSV the writer keeps before it writes the first line.
// Accounts that get their first text of their own in a later row have no column.
const maxWaiting = 10_000

// waitingRow is a row of CSV and its texts for single accounts.
type waitingRow struct {
	cells []string
	texts map[string]string
}

// NewWriter returns a writer in a format.
func NewWriter(w io.Writer, f Format) *Writer {
	if f == JSONL {
		return &Writer{lines: bufio.NewWriter(w)}
	}
	return &Writer{csv: csv.NewWriter(w)}
}

// Format returns the format.
func (w *Writer) Format() Format {
	if w.lines != nil {
		return JSONL
	}
	return CSV
}

// Write adds a row. In CSV an account in To must not hold a semicolon. CSV leaves out the
// media of parts, the card of a link, and all but the texts of overrides.
func (w *Writer) Write(d Document) error {
	if w.lines != nil {
		_, err := w.lines.WriteString(d.Row() + "\n")
		return err
	}
	cells := map[string]string{}
	for _, e := range d.entries() {
		cells[e.name] = cell(e)
	}
	row := waitingRow{texts: map[string]string{}}
	for _, column := range names(inCSV) {
		row.cells = append(row.cells, cells[column])
	}
	lost := false
	for _, o := range d.Post.TargetOverrides {
		if o.Content == nil {
			continue
		}
		row.texts[o.SocialAccountID] = *o.Content
		if !slices.Contains(w.accounts, o.SocialAccountID) {
			if lost = w.header; !lost {
				w.accounts = append(w.accounts, o.SocialAccountID)
			}
		}
	}
	if lost {
		w.lost++
	}
	if w.header {
		return w.writeRow(row)
	}
	if w.waiting = append(w.waiting, row); len(w.waiting) < maxWaiting {
		return nil
	}
	return w.writeWaiting()
}

// Lost returns how many rows of CSV had a text for an account that has no column, because
// it got its first text after 10,000 rows.
func (w *Writer) Lost() int { return w.lost }

// writeWaiting writes the first line and the rows that wait for it.
func (w *Writer) writeWaiting() error {
	w.header = true
	header := names(inCSV)
	for _, account := range w.accounts {
		header = append(header, overridePrefix+account)
	}
	if err := w.csv.Write(header); err != nil {
		return err
	}
	for _, row := range w.waiting {
		if err := w.writeRow(row); err != nil {
			return err
		}
	}
	w.waiting = nil
	return nil
}

func (w *Writer) writeRow(row waitingRow) error {
	for _, account := range w.accounts {
		row.cells = append(row.cells, row.texts[account])
	}
	return w.csv.Write(row.cells)
}

// Row returns the document as a line of JSON Lines.
func (d *Document) Row() string { return jsonText(objectValue(d.entries())) }

// Flush writes what is left. After the last row it must be called.
func (w *Writer) Flush() error {
	if w.lines != nil {
		return w.lines.Flush()
	}
	if !w.header {
		if err := w.writeWaiting(); err != nil {
			return err
		}
	}
	w.csv.Flush()
	return w.csv.Error()
}

// entries returns the document as a row of JSON Lines.
func (d *Document) entries() (o object) {
	o.add("id", textValue(d.ID))
	o.add("content", textValue(d.Post.Content))
	o.add("to", listValue(d.To))
	o.add("at", textValue(d.At))
	o.add("tz", textValue(d.TZ))
	o.media(d.Post.Media)
	if len(d.Post.Thread) > 0 {
		o.add("thread", rowParts(d.Post.Thread))
	}
	if c := d.Post.FirstComment; c != nil {
		o.add("first_comment", rowPart(*c))
	}
	o.rowPoll(d.Post.Poll)
	o.settings(&d.Post, false)
	o.preview(d.Post.LinkPreview)
	o.settings(&d.Post, true)
	o.list("labels", d.Post.Labels)
	o.text("queue", d.Queue)
	o.text("not_before", d.NotBefore)
	o.text("proposed_at", d.ProposedAt)
	o.series(d, strings.Clone)
	overrides := value{kind: isList}
	for _, p := range d.Post.TargetOverrides {
		overrides.items = append(overrides.items, rowOverride(p))
	}
	if overrides.items != nil {
		o.add("overrides", overrides)
	}
	return o
}

// media adds files and their alt texts, as two lists of the same length.
func (o *object) media(media []apiv1.PostMedia) {
	var files, alts []string
	for _, m := range media {
		alt := ""
		if m.AltText != nil {
			alt = *m.AltText
		}
		files, alts = append(files, m.ID), append(alts, alt)
	}
	o.list("media", files)
	o.list("alt", alts)
}

func (o *object) rowPoll(p *apiv1.Poll) {
	if p == nil {
		return
	}
	o.add("poll", listValue(p.Options))
	if len(p.Options) > 0 {
		o.text("poll_for", fields.PollTime(*p))
	}
	o.yes("poll_multiple", p.Multiple)
	o.yes("poll_hide_totals", p.HideTotals)
}

func rowPart(part apiv1.Part) value {
	if len(part.Media) == 0 {
		return textValue(part.Content)
	}
	o := object{{name: "content", value: textValue(part.Content)}}
	o.media(part.Media)
	return objectValue(o)
}

func rowParts(parts []apiv1.Part) value {
	v := value{kind: isList}
	for _, part := range parts {
		v.items = append(v.items, rowPart(part))
	}
	return v
}

// rowOverride returns what an account gets. Empty lists are no files, parts or poll.
func rowOverride(p apiv1.Override) value {
	o := object{{name: "to", value: textValue(p.SocialAccountID)}}
	o.optional("content", p.Content)
	if p.Media != nil {
		if o.media(*p.Media); len(*p.Media) == 0 {
			o.add("media", listValue(nil))
		}
	}
	if p.Thread != nil {
		o.add("thread", rowParts(*p.Thread))
	}
	o.rowPoll(p.Poll)
	o.settings(&p, false)
	if len(p.Options) > 0 {
		o.add("options", optionsValue(p.Options))
	}
	return objectValue(o)
}

// jsonText returns a value as JSON.
func jsonText(v value) string { return inline(v, func(s string) string { return asJSON(s) }, "") }

// cell returns a value as a field of CSV.
func cell(e entry) string {
	switch e.kind {
	case isList:
		var texts []string
		for _, item := range e.items {
			texts = append(texts, cell(entry{value: item}))
		}
		switch e.name {
		case "to":
			return strings.Join(texts, ";")
		case "thread":
			return threadtext.Join(texts)
		}
		return joinList(texts)
	case isObject: // of a part; a card has no content
		for _, k := range e.entries {
			if k.name == "content" {
				return k.text
			}
		}
		return ""
	}
	return e.text
}
