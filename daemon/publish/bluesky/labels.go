package bluesky

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// labels are the warnings that an author can put on a post. Bluesky has no others.
var labels = []string{"sexual", "nudity", "porn", "graphic-media"}

// selfLabels are the warnings of a record.
type selfLabels struct {
	Type   string      `json:"$type"`
	Values []selfLabel `json:"values"`
}

type selfLabel struct {
	Value string `json:"val"`
}

func labelsOf(p schedctl.Presentation) *selfLabels {
	if p.ContentWarning == "" {
		return nil
	}
	return &selfLabels{Type: "com.atproto.label.defs#selfLabels", Values: []selfLabel{{p.ContentWarning}}}
}

// checkPresentation adds the problems of what a post may ask for and Bluesky lacks.
func checkPresentation(c *publish.Check, content publish.Content) {
	c.RefuseVisibility(content, "Bluesky")
	if w := content.ContentWarning; w != "" && !slices.Contains(labels, w) {
		c.Problems = append(c.Problems, publish.Contentf("content_warning", "Bluesky knows only the content warnings %s; use one of them, or leave the account out", strings.Join(labels, ", ")))
	}
	if content.Language != "" && !validTag(content.Language) {
		c.Problems = append(c.Problems, publish.Contentf("language", "the language must be a code such as en, de or pt-BR"))
	}
	if content.Preview.Mode == schedctl.PreviewCard && len(content.Media) > 0 {
		c.Problems = append(c.Problems, publish.Contentf("link_preview", "Bluesky shows either media or a link card; remove one of them"))
	}
}

// langsOf returns the languages of a post: its own, or those of the option langs.
func langsOf(r publish.Request) ([]string, error) {
	if r.Language != "" {
		return []string{r.Language}, nil
	}
	return parseLangs(r.Account.Options)
}
