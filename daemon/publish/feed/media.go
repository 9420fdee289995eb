package feed

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// MediaRules allows every file that the daemon stores.
func (f *Feed) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{Mixed: true, Fetched: true, Classes: publish.AnyFile()}
}

// fileName returns the last element of the address of a file: the ids of the target and
// of the asset, and the usual extension.
func fileName(targetID string, m publish.Media) string {
	return targetID + "-" + m.AssetID + publish.Extension(m.MIMEType)
}

// mediaURL returns a function that returns the address of a file of a feed.
func (a feedURLs) mediaURL(name string) func(file string) string {
	return func(file string) string { return string(a) + name + "/media/" + file }
}

// media serves a file of an entry, as long as the feed shows the entry.
func (h *handler) media(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	target, asset, _ := strings.Cut(file, "-")
	asset, _, _ = strings.Cut(asset, ".")
	_, valid := schedctl.ParseID(schedctl.TargetPrefix, target)
	if _, ok := schedctl.ParseID(schedctl.MediaPrefix, asset); !ok || !valid {
		http.NotFound(w, r)
		return
	}
	account, err := h.account(r.Context(), r.PathValue("name"))
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	m, err := h.source.File(r.Context(), account, target, asset)
	if err == nil && fileName(target, m) != file {
		err = schedctl.Errorf(schedctl.NotFound, "", "the entry has no file %s", file)
	}
	if err == nil {
		err = h.source.ServeMedia(w, r, account, m)
	}
	if err != nil {
		h.writeError(w, r, err)
	}
}

// enclosures returns the links to the files of an entry.
func enclosures(at feedURLs, name string, e Entry) []atomLink {
	var links []atomLink
	for _, m := range e.files() {
		links = append(links, atomLink{
			Rel: "enclosure", Type: m.MIMEType, Title: m.AltText, Href: at.mediaURL(name)(fileName(e.ID, m)), Length: m.Size,
		})
	}
	return links
}

func attachments(at feedURLs, name string, e Entry) []jsonAttachment {
	var list []jsonAttachment
	for _, m := range e.files() {
		list = append(list, jsonAttachment{
			URL: at.mediaURL(name)(fileName(e.ID, m)), MIMEType: m.MIMEType, Title: m.AltText, Size: m.Size, Duration: m.Duration.Seconds(),
		})
	}
	return list
}

// entryHTML is the content of an entry.
var entryHTML = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("content").Parse(`{{if .Lines}}<p>{{range $i, $line := .Lines}}{{if $i}}<br>
{{end}}{{$line}}{{end}}</p>{{end}}{{range .Files}}
{{if eq .Class "video"}}<p><video controls src="{{.URL}}" aria-label="{{.Alt}}"{{if .Width}} width="{{.Width}}" height="{{.Height}}"{{end}}></video></p>` +
		`{{else if eq .Class "document"}}<p><a href="{{.URL}}">{{.Name}}</a></p>` +
		`{{else}}<p><img src="{{.URL}}" alt="{{.Alt}}"{{if .Width}} width="{{.Width}}" height="{{.Height}}"{{end}}></p>{{end}}{{end}}`))
})

// shownFile is a file in the HTML of an entry.
type shownFile struct {
	URL, Alt, Name string
	Class          schedctl.MediaClass
	Width, Height  int
}

// renderHTML renders the texts of an entry and its files. address returns the address of
// a file.
func renderHTML(e Entry, address func(file string) string) (string, error) {
	out, err := renderPart(e.ID, Part{e.Content, e.Media}, address)
	if err != nil {
		return "", err
	}
	for i, part := range e.Parts {
		text, err := renderPart(e.ID, part, address)
		if err != nil {
			return "", err
		}
		out += "\n<section id=\"" + anchor(i+1) + "\">\n" + text + "\n</section>"
	}
	return out, nil
}

// renderPart renders the text of one part and its files.
func renderPart(targetID string, part Part, address func(file string) string) (string, error) {
	var lines []string
	if text := printable(part.Content); text != "" || len(part.Media) == 0 {
		lines = strings.Split(text, "\n")
	}
	var files []shownFile
	for _, m := range part.Media {
		files = append(files, shownFile{
			URL: address(fileName(targetID, m)), Alt: printable(m.AltText), Class: m.Class(), Width: m.Width, Height: m.Height,
			Name: printable(cmp.Or(m.AltText, m.FileName)),
		})
	}
	var out bytes.Buffer
	if err := entryHTML().Execute(&out, map[string]any{"Lines": lines, "Files": files}); err != nil {
		return "", fmt.Errorf("write content of an entry: %w", err)
	}
	return strings.TrimPrefix(out.String(), "\n"), nil
}
