package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage is one page of the manual: a command in section 1, a topic in 7.
type manPage struct {
	name    string
	section int
	text    []byte
}

// manPages returns the pages of a command and of all commands below it that are not
// hidden. They contain no date, so that builds are reproducible.
func manPages(a *App, cmd *cobra.Command, version string) []manPage {
	if cmd.Hidden {
		return nil
	}
	a.WriteLazyHelp(cmd)
	pages := []manPage{newManPage(cmd, version)}
	for _, c := range cmd.Commands() {
		pages = append(pages, manPages(a, c, version)...)
	}
	return pages
}

func newManPage(cmd *cobra.Command, version string) manPage {
	p := manPage{name: manName(cmd), section: manSection(cmd)}
	m := &manWriter{}
	m.line(".\\\" written by: schedctl man")
	m.line(".TH \"%s\" %d \"\" \"%s\" \"schedctl manual\"", Roff(strings.ToUpper(p.name)), p.section, Roff("schedctl "+version))
	m.line(".ad l\n.nh") // justified or hyphenated lists of flags are hard to read
	m.heading("NAME")
	m.line("%s \\- %s", Roff(p.name), Roff(cmd.Short))
	if p.section == 1 {
		m.heading("SYNOPSIS")
		m.line("\\fB%s\\fR", Roff(cmd.UseLine()))
	}
	m.heading("DESCRIPTION")
	m.prose(cmp.Or(cmd.Long, cmd.Short))
	m.commands(cmd)
	if cmd.HasParent() {
		m.flags("OPTIONS", cmd.NonInheritedFlags())
	} else {
		m.flags("OPTIONS OF ALL COMMANDS", cmd.PersistentFlags())
	}
	if cmd.Example != "" {
		m.heading("EXAMPLES")
		m.verbatim(cmd.Example)
	}
	m.seeAlso(cmd)
	p.text = m.Bytes()
	return p
}

func manName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}

func manSection(cmd *cobra.Command) int {
	if cmd.IsAdditionalHelpTopicCommand() {
		return 7
	}
	return 1
}

func manReference(cmd *cobra.Command) string {
	return fmt.Sprintf("\\fB%s\\fR(%d)", Roff(manName(cmd)), manSection(cmd))
}

// manWriter writes in the format of man(7).
type manWriter struct{ bytes.Buffer }

func (m *manWriter) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *manWriter) heading(text string) { m.line(".SH %s", Roff(text)) }

// prose writes paragraphs. Paragraphs with indented lines are tables and keep their
// layout.
func (m *manWriter) prose(text string) {
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") || strings.Contains(paragraph, "\n  ") {
			m.verbatim(paragraph)
			continue
		}
		m.line(".PP\n%s", Roff(strings.Trim(paragraph, "\n")))
	}
}

func (m *manWriter) verbatim(text string) {
	m.line(".PP\n.nf\n%s\n.fi", Roff(strings.Trim(text, "\n")))
}

func (m *manWriter) commands(cmd *cobra.Command) {
	first := true
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		if first {
			m.heading("COMMANDS")
			first = false
		}
		m.line(".TP\n%s\n%s", manReference(c), Roff(c.Short))
	}
}

func (m *manWriter) flags(heading string, flags *pflag.FlagSet) {
	first := true
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		if first {
			m.heading(heading)
			first = false
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "\\fB\\-\\-" + Roff(f.Name) + "\\fR"
		if f.Shorthand != "" {
			name = "\\fB\\-" + Roff(f.Shorthand) + "\\fR, " + name
		}
		switch {
		case value == "":
		case f.NoOptDefVal != "":
			name += "[=\\fI" + Roff(value) + "\\fR]"
		default:
			name += " \\fI" + Roff(value) + "\\fR"
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
			usage += " (default: " + f.DefValue + ")"
		}
		m.line(".TP\n%s\n%s", name, Roff(usage))
	})
}

// seeAlso lists the page of the parent command and the topics.
func (m *manWriter) seeAlso(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, manReference(cmd.Parent()))
	}
	for _, c := range cmd.Root().Commands() {
		if c.IsAdditionalHelpTopicCommand() && c != cmd {
			pages = append(pages, manReference(c))
		}
	}
	if len(pages) == 0 {
		return
	}
	m.heading("SEE ALSO")
	m.line("%s", strings.Join(pages, ",\n"))
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// Roff escapes a text for a manual page.
func Roff(text string) string {
	lines := strings.Split(roffEscapes.Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
