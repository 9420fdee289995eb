package publishtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// LinkedInArticle is the link card of a post.
type LinkedInArticle struct {
	Source      string `json:"source"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Thumbnail   string `json:"thumbnail"`
}

// linkedInMedia is a file in the body of a post.
type linkedInMedia struct {
	ID    string `json:"id"`
	Alt   string `json:"altText"`
	Title string `json:"title"`
}

// firstFile returns the first file of a post, or the picture of its card.
func (p LinkedInPost) firstFile(files []linkedInMedia) string {
	if len(files) > 0 {
		return files[0].ID
	}
	if p.Article != nil {
		return p.Article.Thumbnail
	}
	return ""
}

// isWriteOnly reports whether the token may not read the state of a file: w_member_social
// reads no images and documents.
func (f *FakeLinkedIn) isWriteOnly(kind string, file *linkedInFile) bool {
	return kind != "video" && strings.HasPrefix(file.owner, "urn:li:person:")
}

// denies returns the error of a request about comments of the versioned API for which the
// token lacks a permission, or 0.
func (f *FakeLinkedIn) denies(r *http.Request, version string, body []byte) (int, string) {
	scope, call := "r_organization_social_feed", "GET_ALL"
	if r.Method == http.MethodPost {
		var wanted struct {
			Actor string `json:"actor"`
		}
		_ = json.Unmarshal(body, &wanted)
		scope, call = "w_organization_social_feed", "CREATE"
		if strings.HasPrefix(wanted.Actor, "urn:li:person:") {
			scope = "w_member_social_feed"
		}
	}
	if slices.Contains(f.Scopes, scope) {
		return 0, ""
	}
	return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: partnerApiSocialActions."+call+"."+version)
}

// oldComment serves comments of the API without versions.
func (f *FakeLinkedIn) oldComment(header http.Header, r *http.Request, path string, body []byte) (int, string) {
	urn, found := strings.CutSuffix(path, "/comments")
	parent, err := url.PathUnescape(urn)
	switch {
	case !found || err != nil || r.Header.Get("LinkedIn-Version") != "":
		return linkedInError(404, 0, "RESOURCE_NOT_FOUND", "No virtual resource found")
	case f.NoComments != 0:
		return linkedInError(f.NoComments, 0, "", "")
	case !f.has(parent):
		return linkedInError(404, 0, "NOT_FOUND", "The post does not exist")
	}
	return f.comment(header, parent, body)
}
