package api

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// uploadPagePath is the path of the pages of upload links, before their tokens.
const uploadPagePath = "/u/"

// serveUploadPages adds the page of upload links, for people with a browser.
func (s *Server) serveUploadPages() {
	s.mux.HandleFunc("GET "+uploadPagePath+"{token}", s.public(s.uploadPage(s.showUploadForm)))
	s.mux.HandleFunc("POST "+uploadPagePath+"{token}", s.public(s.uploadPage(s.takeUploadForm)))
}

// uploadPage returns a handler that writes a page.
func (s *Server) uploadPage(next func(http.ResponseWriter, *http.Request) (page.UploadView, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		pageHeader(w.Header())
		v, err := next(w, r)
		var body []byte
		if err == nil {
			v.Style = styleAddress(r)
			body, err = page.Upload(v)
		}
		if err != nil {
			s.refusePage(w, r, err)
			return
		}
		status := http.StatusOK
		if v.Done {
			status = http.StatusCreated
		}
		writePage(w, status, body)
	}
}

// showUploadForm handles GET of an upload link. It changes nothing, so that a program may look
// at the address before the person does.
func (s *Server) showUploadForm(w http.ResponseWriter, r *http.Request) (v page.UploadView, err error) {
	c := &request{Request: usecase.Request{Now: time.Now()}, query: r.URL.RawQuery}
	if err := s.admitUpload(&route{grant: s.checkUploadLink}, w, r, c); err != nil {
		return v, err
	}
	limits := s.media.Limits()
	err = s.view(r.Context(), func(reader storage.Reader) error {
		a, err := c.linkedAsset(reader)
		if err != nil {
			return err
		}
		workspace, err := reader.Workspace(c.Key.WorkspaceID)
		v = page.UploadView{
			Workspace: workspace, Now: c.Now, Expires: c.grant.Expires, Largest: fmt.Sprintf("%d MB", limits.Largest()/1e6), AskText: a.AltText == "",
		}
		return err
	})
	return v, err
}

// takeUploadForm handles POST of an upload link: a form with the file.
func (s *Server) takeUploadForm(w http.ResponseWriter, r *http.Request) (v page.UploadView, err error) {
	var workspaceID, assetID string
	form := route{
		method: http.MethodPost, id: "putUploadLink", media: "text/html", upload: true, grant: s.checkUploadLink, receive: s.receiveLinkedForm,
		handle: func(ctx context.Context, c *request) (response, error) {
			workspaceID, assetID = c.Key.WorkspaceID, c.ID
			return s.putUploadLink(ctx, c)
		},
	}
	if _, err := s.serve(&form, w, r); err != nil {
		return v, err
	}
	v.Now, v.Done = time.Now(), true
	err = s.view(r.Context(), func(reader storage.Reader) error {
		a, err := reader.MediaAsset(workspaceID, assetID)
		if err != nil {
			return err
		}
		v.Name = a.FileName
		v.Workspace, err = reader.Workspace(workspaceID)
		return err
	})
	return v, err
}

// receiveLinkedForm reads the form of the page of an upload link.
func (s *Server) receiveLinkedForm(w http.ResponseWriter, r *http.Request, c *request) error {
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "multipart/form-data" || params["boundary"] == "" || len(params["boundary"]) > maxBoundary {
		return schedctl.Errorf(schedctl.UnsupportedMediaType, "", "the body is not a form (multipart/form-data)")
	}
	if err := s.admitFile(r, c, c.origin(), maxUploadFields, 0); err != nil {
		return err
	}
	return s.receiveForm(w, r, c, params["boundary"])
}
