package postlist

import (
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Picture is a picture of a post.
type Picture struct {
	Asset apiv1.MediaAsset
	// Lines describe the picture: name, type and size, the part of the post, alt text.
	// They may be longer than the screen is wide.
	Lines []string
}

// Pictures returns the pictures of all parts of a post.
func Pictures(p apiv1.Post) (list []Picture) {
	several := len(p.Thread) > 0 || p.FirstComment != nil
	add := func(part string, files []apiv1.PostMedia) {
		for _, m := range PostMedia(files, p.MediaAssets) {
			class := schedctl.MediaClassOf(m.Asset.MIMEType)
			if class != schedctl.MediaImage && class != schedctl.MediaGIF {
				continue
			}
			name := FileName(m.Asset) + "  " + MediaFacts(m.Asset)
			if several {
				name += ", " + part
			}
			list = append(list, Picture{Asset: m.Asset, Lines: []string{name, AltLabel(m.Alt)}})
		}
	}
	add(PartName(0), p.Media)
	for i, part := range p.Thread {
		add(PartName(i+1), part.Media)
	}
	if p.FirstComment != nil {
		add("first comment", p.FirstComment.Media)
	}
	for i := range list {
		if len(list) > 1 {
			list[i].Lines[0] = fmt.Sprintf("%d of %d: %s", i+1, len(list), list[i].Lines[0])
		}
	}
	return list
}

// PartName returns how people call a part.
func PartName(part int) string {
	if part == CommentPart {
		return "comment"
	}
	return fmt.Sprintf("part %d", part+1)
}

// CommentPart is the part of the files of the first comment.
const CommentPart = -1
