package page

import (
	"time"

	"github.com/schedctl/schedctl"
)

// UploadView is the page at which a person sends a file.
type UploadView struct {
	Workspace schedctl.Workspace
	Now       time.Time
	Style     string // the address of the style sheet

	Expires time.Time
	Largest string // such as 300 MB
	AskText bool   // the file has no alt text yet

	Done bool // the file has arrived
	Name string
}

// Upload returns the page at which a person sends a file, or that says that it has arrived.
func Upload(v UploadView) ([]byte, error) {
	f := Frame{Workspace: v.Workspace, Now: v.Now}
	title := "Send a file"
	if v.Done {
		title = "The file has arrived"
	}
	return render("upload.html", struct {
		top
		UploadView
		Title, Until string
		Style        string
		Workspace    string
	}{f.top(title, v.Style), v, title, f.clock().at(v.Expires), v.Style, v.Workspace.Name})
}
