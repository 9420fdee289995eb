package files

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// The results of a line.
const (
	resultCreated = "created"
	resultUpdated = "updated"
	resultExists  = "exists" // the post existed before
	resultOK      = "ok"     // checked, not sent
	resultRefused = "refused"
)

// imported is the result of one line.
type imported struct {
	Line      int         `json:"line"`
	Result    string      `json:"result"`
	PostID    string      `json:"post_id"`
	PublishAt *apiv1.Time `json:"publish_at"`
	ID        string      `json:"id"` // of the line
	Message   string      `json:"message"`
}

// refusedWith returns the result of a refused line with the reason.
func (r imported) refusedWith(reason string) imported {
	r.Result, r.Message = resultRefused, reason
	return r
}

// remarked returns the result with one more remark.
func (r imported) remarked(text string) imported {
	if text != "" {
		r.Message = strings.TrimPrefix(r.Message+"; "+text, "; ")
	}
	return r
}

// manyLines is the number of results above which only remarks are shown.
const manyLines = 50

// importPrinter prints results: in a pipe each one immediately, and on a terminal a table.
// Refused lines come last. JSON is one array, or a stream.
type importPrinter struct {
	*cli.App
	lines          int
	shown, refused cli.Table
	counts         map[string]int
	stream         bool       // print each result as a line of JSON
	list           []imported // for one array of JSON
	failed         error      // of printing; it must not stop the import
}

func newImportPrinter(o *importOptions, lines int) *importPrinter {
	return &importPrinter{
		App: o.App, lines: lines, counts: map[string]int{}, stream: o.jsonl, list: []imported{},
		shown: cli.Table{Header: []string{"LINE", "RESULT", "POST", "WHEN", "ID", "REMARK"}, Status: 1},
	}
}

// add prints a result, or keeps it for finish, which returns the first error.
func (p *importPrinter) add(r imported) {
	if err := p.print(r); p.failed == nil {
		p.failed = err
	}
}

func (p *importPrinter) print(r imported) error {
	p.counts[r.Result]++
	switch {
	case p.stream:
		return p.PrintLine(r)
	case p.JSON.Given:
		p.list = append(p.list, r)
		return nil
	case p.Quiet:
		if r.PostID == "" {
			return nil
		}
		return p.PrintIDs(r.PostID)
	}
	row := []string{strconv.Itoa(r.Line), r.Result, r.PostID, p.ShortTime(r.PublishAt), r.ID, r.Message}
	switch {
	case r.Result == resultRefused:
		p.refused.Rows = append(p.refused.Rows, row)
	case !p.OutTerminal:
		return p.Write(p.RenderTable(cli.Table{Rows: [][]string{row}}))
	case p.lines <= manyLines || r.Message != "":
		p.shown.Rows = append(p.shown.Rows, row)
	}
	return nil
}

// finish prints the table, and on standard error the number of lines of each kind.
func (p *importPrinter) finish() error {
	p.shown.Rows = append(p.shown.Rows, p.refused.Rows...)
	err := p.Write(p.RenderTable(p.shown))
	if p.JSON.Given && !p.stream {
		err = p.PrintJSON(p.list)
	}
	if p.failed == nil {
		p.failed = err
	}
	var kinds []string
	for _, result := range []string{resultCreated, resultUpdated, resultExists, resultOK, resultRefused} {
		if n := p.counts[result]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, result))
		}
	}
	switch {
	case p.Quiet:
	case p.lines == 0:
		p.Messagef("no lines")
	case kinds != nil:
		p.Messagef("%s", strings.Join(kinds, ", "))
	}
	return p.failed
}
