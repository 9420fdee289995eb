package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// mediaReadRoutes are the routes that read media assets.
func (s *Server) mediaReadRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/media/config", id: "getMediaConfig", tag: "Media",
		summary: "Get the limits of media", description: "The types and sizes that can be uploaded to this daemon. Networks have their own limits, which validatePost reports.",
		scopes: readsPosts, status: http.StatusOK, response: reflect.TypeFor[apiv1.MediaConfig](),
		handle: s.getMediaConfig,
	}, {
		method: http.MethodGet, path: "/media", id: "listMedia", tag: "Media",
		summary: "List media assets", description: "One page of the assets of the workspace, newest first. A page can be short and still have a next page.",
		scopes: readsPosts, params: pageParams("assets"), codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidCursor},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.MediaList](),
		handle: s.listMedia,
	}, {
		method: http.MethodGet, path: "/media/{id}", id: "getMedia", tag: "Media",
		summary: "Get a media asset", description: "The facts about one file.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.MediaEnvelope](),
		handle: s.getMedia,
	}, {
		method: http.MethodGet, path: "/media/{id}/content", id: "getMediaContent", tag: "Media",
		summary:     "Download a media asset",
		description: "The bytes as they were uploaded. They never change: the ETag is their SHA-256, and clients can cache them. Ranges and If-None-Match work.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.MediaNotReady},
		status: http.StatusOK, response: reflect.TypeFor[[]byte](), media: mediaAny,
		handle: s.getMediaContent,
	}}
}

// mediaWriteRoutes are the routes that create, change and delete media assets.
func (s *Server) mediaWriteRoutes() []route {
	uploaded := reflect.TypeFor[apiv1.UploadedMedia]()
	refused := []schedctl.Code{schedctl.MediaInvalid, schedctl.MediaTooLarge, schedctl.MediaTypeNotAllowed, schedctl.MediaQuotaExceeded}
	return []route{{
		method: http.MethodPost, path: "/media", id: "createMedia", tag: "Media",
		summary: "Upload a file",
		description: "The body is a form (multipart/form-data) with the fields file and, optionally, alt_text; or it is the file itself, with its name in file_name and its alt text in alt_text. " +
			"The type is taken from the bytes; the file is checked to its end. Known bytes with another alt text are another asset. With the same one, or with none, the response is an existing asset, with status 200: with none it is one that this key has uploaded, or else one without an alt text. " +
			"A file that is larger than the rest of the quota is refused before it is read: a client that sends Expect: 100-continue need not send it. " +
			"Uploads at work count toward the quota. A key can have four at once, and a workspace 16; further ones are refused with RATE_LIMITED.",
		scopes: writesDrafts, codes: refused,
		params: []*huma.Param{
			queryParam("file_name", "the name of the file; directories are removed", &huma.Schema{Type: huma.TypeString}),
			queryParam("alt_text", "a description for people who cannot see the file; send a long one in a form", &huma.Schema{Type: huma.TypeString, MaxLength: new(schedctl.MaxAltText)}),
			{
				Name: fileSumHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9a-f]{64}$"},
				Description: "The SHA-256 of the file, if you know it. A file that the workspace has is then received even if the quota is used up.",
			},
		},
		status: http.StatusCreated, response: uploaded, accepts: uploadContent, alsoOK: true,
		actsEarly: true, receive: s.receiveFile, handle: s.createMedia,
	}, {
		method: http.MethodPost, path: "/media/from-url", id: "createMediaFromURL", tag: "Media",
		summary:     "Fetch a file from a URL",
		description: "The daemon fetches the file from a public URL, for two minutes at most, and follows up to five redirects. Otherwise this is createMedia.",
		scopes:      writesDrafts, codes: refused, alsoOK: true,
		request: reflect.TypeFor[apiv1.MediaFromURL](), status: http.StatusCreated, response: uploaded,
		actsEarly: true, handle: withBody(readMediaFromURL, s.fetchMedia),
	}, {
		method: http.MethodPatch, path: "/media/{id}", id: "editMedia", tag: "Media",
		summary:     "Change the alt text of a media asset",
		description: "The text is for posts that attach the asset from now on. Existing posts keep theirs; the response names the drafts and scheduled posts that show the old one.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.NotFound},
		request: reflect.TypeFor[apiv1.EditMedia](), status: http.StatusOK, response: reflect.TypeFor[apiv1.EditedMedia](),
		handle: withBody(read[apiv1.EditMedia], s.editMedia),
	}, {
		method: http.MethodDelete, path: "/media/{id}", id: "deleteMedia", tag: "Media",
		summary:     "Delete a media asset",
		description: "Refused while a post uses it that is a draft, scheduled, publishing or failed. Published posts stay as they are, also in feeds.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.MediaInUse, schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteMedia),
	}}
}

// mediaUploadRoutes are the routes of uploads that are announced first.
func (s *Server) mediaUploadRoutes() []route {
	one := reflect.TypeFor[apiv1.MediaEnvelope]()
	return []route{{
		method: http.MethodPost, path: "/media/uploads", id: "createUpload", tag: "Media",
		summary: "Announce an upload",
		description: "Returns a pending asset and a URL for its bytes. Send the file to the URL, then confirm the upload. The size must be exact and counts toward the quota at once. " +
			"An upload that is not confirmed within a day is deleted.",
		scopes: writesDrafts, codes: []schedctl.Code{schedctl.MediaTooLarge, schedctl.MediaTypeNotAllowed, schedctl.MediaQuotaExceeded},
		request: reflect.TypeFor[apiv1.CreateUpload](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.UploadEnvelope](),
		handle: withBody(readCreateUpload, s.createUpload),
	}, {
		method: http.MethodPut, path: "/media/{id}/upload", id: "putUpload", tag: "Media",
		summary: "Send the bytes of an announced upload",
		description: "Use the URL of createUpload as it is: its token takes the place of an API key, for this asset and until the URL expires. " +
			"The same bytes can be sent again; other bytes are refused. A workspace can have 16 uploads at work; further ones are refused with RATE_LIMITED.",
		codes: []schedctl.Code{
			schedctl.UploadURLInvalid, schedctl.MediaNotReady, schedctl.MediaUploaded,
			schedctl.MediaInvalid, schedctl.MediaTooLarge, schedctl.MediaTypeNotAllowed, schedctl.MediaQuotaExceeded,
		},
		params: []*huma.Param{{Name: "token", In: "query", Required: true, Description: "from the URL of createUpload", Schema: &huma.Schema{Type: huma.TypeString}}},
		status: http.StatusNoContent, accepts: rawContent,
		upload: true, grant: s.checkGrant, receive: s.receiveUpload, handle: s.putUpload,
	}, {
		method: http.MethodPost, path: "/media/{id}/confirm-upload", id: "confirmUpload", tag: "Media",
		summary:     "Confirm an upload",
		description: "The asset becomes ready. Posts can be scheduled with it from now on.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.MediaNotReady, schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: withoutBody(s.confirmUpload),
	}, {
		method: http.MethodPost, path: "/media/{id}/upload-failure", id: "failUpload", tag: "Media",
		summary:     "Report that an upload failed",
		description: "A pending asset becomes failed, and its size no longer counts toward the quota. A confirmed asset stays as it is.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: withoutBody(s.failUpload),
	}}
}

// mediaAny is the media type of responses whose type depends on the asset.
const mediaAny = "*/*"

// rawContent describes a body that is a file.
func rawContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{mediaAny: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
}

// uploadContent describes the body of createMedia.
func uploadContent() map[string]*huma.MediaType {
	content := rawContent()
	content["multipart/form-data"] = &huma.MediaType{Schema: &huma.Schema{
		Type: huma.TypeObject, Required: []string{"file"},
		Properties: map[string]*huma.Schema{
			"file":     {Type: huma.TypeString, Format: "binary", Description: "The file, with its name."},
			"alt_text": {Type: huma.TypeString, MaxLength: new(schedctl.MaxAltText), Description: "A description for people who cannot see the file."},
		},
	}}
	return content
}
