package mastodon

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how deep the elements of a status are read. Servers nest only a few.
const maxDepth = 100

// plainText reconstructs the written text of a status from its HTML, as far as
// possible. Paragraphs and breaks become new lines. A link becomes its address if
// its text is a part of the address.
func plainText(content string) string {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(content), body)
	if err != nil {
		return ""
	}
	var text strings.Builder
	for _, n := range nodes {
		writeText(&text, n, maxDepth)
	}
	return strings.TrimSpace(text.String())
}

func writeText(text *strings.Builder, n *html.Node, depth int) {
	if depth == 0 {
		return
	}
	switch {
	case n.Type == html.TextNode:
		text.WriteString(n.Data)
		return
	case n.Type != html.ElementNode:
		return
	}
	switch n.DataAtom {
	case atom.Br:
		text.WriteString("\n")
	case atom.Img: // a custom emoji
		text.WriteString(attribute(n, "alt"))
	case atom.Script, atom.Style:
	case atom.A:
		text.WriteString(linkText(n, depth))
	case atom.P, atom.Div, atom.Li, atom.Blockquote, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		text.WriteString("\n")
		writeChildren(text, n, depth)
		text.WriteString("\n")
	default:
		writeChildren(text, n, depth)
	}
}

func writeChildren(text *strings.Builder, n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeText(text, c, depth-1)
	}
}

// linkText returns the written text of a link. Servers hide the start and the end of
// a long address, sometimes with an ellipsis.
func linkText(a *html.Node, depth int) string {
	var inner strings.Builder
	writeChildren(&inner, a, depth)
	text, href := inner.String(), attribute(a, "href")
	_, address, _ := strings.Cut(href, "://")
	part := strings.TrimSuffix(strings.TrimSpace(text), "…")
	if part != "" && !strings.Contains(text, "://") && strings.HasPrefix(strings.TrimPrefix(address, "www."), strings.TrimPrefix(part, "www.")) {
		return href
	}
	return text
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
