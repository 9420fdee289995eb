package calendar

import (
	"fmt"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// maxLines is the maximum number of posts of one account and day in the grid.
const maxLines = 6

// week draws the days side by side, with a row for each account.
func (d drawing) week(c plan) string {
	label := 8
	for _, acct := range c.Days[0].Accounts {
		label = max(label, min(cli.TextWidth(cli.OneLine(acct.Name)), 14))
	}
	cell := (d.width - label) / len(c.Days)
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", label))
	for i := range c.Days {
		head := c.span.day(i).Format("Mon 2")
		if d.today(c, i) {
			head += " *"
		}
		b.WriteString(d.paint("1", " "+padRight(head, cell-1)))
	}
	rows := []string{strings.TrimRight(b.String(), " ")}
	for n, acct := range c.Days[0].Accounts {
		lines := make([][]string, len(c.Days))
		for i := range c.Days {
			lines[i] = d.cell(c, c.Days[i].Accounts[n], cell-1)
		}
		rows = append(rows, d.side(cli.Clip(cli.OneLine(acct.Name), label), label, cell, lines)...)
	}
	return strings.Join(rows, "\n") + "\n"
}

// cell returns the posts and the free slots of an account on a day of a week.
func (d drawing) cell(c plan, acct accountPlan, room int) (lines []string) {
	all := d.lines(c, acct, room)
	for i, text := range all {
		if i == maxLines-1 && len(all) > maxLines {
			return append(lines, fmt.Sprintf("+%d more", len(all)-i))
		}
		lines = append(lines, text)
	}
	if acct.Gap && len(all) == 0 {
		lines = append(lines, d.paint("2", "·"))
	}
	return lines
}

// side joins cells of several lines side by side, after a label.
func (d drawing) side(label string, labelWidth, cellWidth int, cells [][]string) (rows []string) {
	height := 1
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	for n := range height {
		row := padRight(label, labelWidth)
		for _, lines := range cells {
			line := ""
			if n < len(lines) {
				line = lines[n]
			}
			row += " " + padRight(line, cellWidth-1)
		}
		rows = append(rows, strings.TrimRight(row, " "))
		label = ""
	}
	return rows
}
