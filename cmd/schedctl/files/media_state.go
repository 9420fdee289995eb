package files

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// mediaState is one file of a post. The digest of the post covers its bytes and its alt
// text, but not its name.
type mediaState struct {
	SHA256 string `json:"sha256"` // in hexadecimal; for an asset without known bytes, see unknownBytes
	Alt    string `json:"alt,omitempty"`

	Name string `json:"-"` // for messages
	Size int64  `json:"-"` // in bytes; 0 if it is not known
}

// unknownBytes starts the hash of an asset whose bytes are not known: its upload is not
// confirmed, or it was deleted after publishing. The id of the asset follows.
const unknownBytes = "asset:"

// mediaStates returns the media of a post. Alt texts have no line breaks at their end, as
// in post files.
func mediaStates(list []apiv1.PostMedia, assets []apiv1.MediaAsset) (states []mediaState) {
	for _, m := range list {
		state := mediaState{SHA256: unknownBytes + m.ID, Name: m.ID, Alt: strings.TrimRight(cli.Deref(m.AltText), "\n")}
		if i := slices.IndexFunc(assets, func(a apiv1.MediaAsset) bool { return a.ID == m.ID }); i >= 0 {
			state.Name, state.Size = assets[i].FileName, assets[i].SizeBytes
			if sum := cli.Deref(assets[i].SHA256); sum != "" {
				state.SHA256 = sum
			}
		}
		states = append(states, state)
	}
	return states
}

// hasUnknownBytes reports whether the bytes of a file are not known.
func hasUnknownBytes(list []mediaState) bool {
	return slices.ContainsFunc(list, func(m mediaState) bool { return strings.HasPrefix(m.SHA256, unknownBytes) })
}

// sameMedia reports whether two files have the same bytes and alt texts.
func sameMedia(a, b mediaState) bool { return a.SHA256 == b.SHA256 && a.Alt == b.Alt }

// mediaText returns media for a diff, a line for each file. Files with the same bytes
// have the name that names gives them.
func mediaText(list []mediaState, names map[string]mediaState) string {
	var lines []string
	for _, m := range list {
		if same, ok := names[m.SHA256]; ok {
			m.Name, m.Size = same.Name, same.Size
		}
		line := m.Name
		if m.Size > 0 {
			line += ", " + cli.SizeText(m.Size)
		}
		if m.Alt == "" {
			line += ", no alt text"
		} else {
			line += ", alt: " + cli.OneLine(m.Alt)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
