package compose

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// attachment is one file of the post in the composer.
type attachment struct {
	postlist.MediaOf
	part      int    // 0 for the first part, or commentPart
	path      string // of a file that was attached here
	number    int    // identifies an upload, to ignore the result of a removed one
	uploading bool
	sent      *atomic.Int64 // bytes, while it is uploaded
	size      *atomic.Int64 // bytes; 0 until it is known
	fault     string        // why the upload failed
}

// media are the files of the post in the composer.
type media struct {
	list    []attachment // by part, those of the first comment last
	before  []attachment // the files of the post before it was edited
	cursor  int
	uploads int // number of uploads started
}

type (
	// UploadedMsg is the response to an upload.
	UploadedMsg struct {
		id     string
		number int
		asset  apiv1.MediaAsset
		err    error
	}
	// UploadTickMsg has the progress of uploads shown.
	UploadTickMsg struct{ id string }
)

func (m UploadedMsg) composer() string   { return m.id }
func (m UploadTickMsg) composer() string { return m.id }

// setMedia sets the files that the post has.
func (c *composer) setMedia(p apiv1.Post) {
	c.media.before = nil
	add := func(list []apiv1.PostMedia, part int) {
		for _, m := range postlist.PostMedia(list, p.MediaAssets) {
			c.media.before = append(c.media.before, attachment{MediaOf: m, part: part})
		}
	}
	add(p.Media, 0)
	for i, part := range p.Thread {
		add(part.Media, i+1)
	}
	if p.FirstComment != nil {
		add(p.FirstComment.Media, postlist.CommentPart)
	}
	c.media.list = slices.Clone(c.media.before)
}

// mediaChanged reports whether a file or an alt text of a part has changed.
func (c *composer) mediaChanged(part int) bool {
	return !slices.EqualFunc(ofPart(c.media.list, part), ofPart(c.media.before, part), func(a, b attachment) bool {
		return a.Asset.ID == b.Asset.ID && a.Alt == b.Alt
	})
}

// ofPart returns the files of a part.
func ofPart(list []attachment, part int) (out []attachment) {
	for _, a := range list {
		if a.part == part {
			out = append(out, a)
		}
	}
	return out
}

// hasMedia reports whether a part has files.
func (c *composer) hasMedia(part int) bool { return len(ofPart(c.media.list, part)) > 0 }

// mediaBody returns the uploaded files of a part for a request, with the alt texts that the
// form shows.
func (c *composer) mediaBody(part int) []apiv1.PostMedia {
	list := []apiv1.PostMedia{}
	for _, a := range ofPart(c.media.list, part) {
		if a.uploading || a.fault != "" {
			continue
		}
		list = append(list, apiv1.PostMedia{ID: a.Asset.ID, AltText: &a.Alt})
	}
	return list
}

// mediaFault returns why the files cannot be saved yet, or the empty string.
func (c *composer) mediaFault() string {
	for _, a := range c.media.list {
		switch {
		case a.uploading:
			return "wait until " + screen.OneLine(a.path) + " is uploaded, or remove it from the media"
		case a.fault != "":
			return screen.OneLine(a.path) + " is not uploaded: remove it from the media, or attach it again"
		}
	}
	return ""
}

// uploadEvery is how often the progress of uploads is drawn.
const uploadEvery = 200 * time.Millisecond

// attach uploads a file for the part with the cursor.
func (c *composer) attach(f Frame, path string) tea.Cmd {
	running := c.uploading()
	c.media.uploads++
	a := attachment{path: path, number: c.media.uploads, uploading: true, sent: new(atomic.Int64), size: new(atomic.Int64)}
	a.part = min(c.cursorPart(), len(c.commonParts())-1)
	c.media.list, c.media.cursor = append(c.media.list, a), len(c.media.list)
	c.sortMedia()
	cl, id := f.Client(), c.id
	upload := f.Upload(func(ctx context.Context) tea.Msg {
		asset, err := cl.Upload(ctx, path, func(sent, size int64) {
			a.sent.Store(sent)
			a.size.Store(size)
		})
		return UploadedMsg{id: id, number: a.number, asset: asset, err: err}
	})
	if running {
		return upload
	}
	return tea.Batch(upload, c.tickUpload())
}

// tickUpload draws the progress again after a while.
func (c *composer) tickUpload() tea.Cmd {
	msg := UploadTickMsg{c.id}
	return tea.Tick(uploadEvery, func(time.Time) tea.Msg { return msg })
}

// uploading reports whether an upload is in progress.
func (c *composer) uploading() bool {
	return slices.ContainsFunc(c.media.list, func(a attachment) bool { return a.uploading })
}

// sortMedia sorts the files by part. The cursor stays on its file.
func (c *composer) sortMedia() {
	list := c.media.list
	if len(list) == 0 {
		return
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(uint(list[a].part), uint(list[b].part)) })
	sorted := make([]attachment, len(list))
	for i, from := range order {
		sorted[i] = list[from]
	}
	c.media.list, c.media.cursor = sorted, slices.Index(order, c.media.cursor)
}

// moveMedia moves the files of the parts of the thread to other parts.
func (c *composer) moveMedia(to func(part int) int) {
	for i := range c.media.list {
		if a := &c.media.list[i]; a.part != postlist.CommentPart {
			a.part = to(a.part)
		}
	}
	c.sortMedia()
}

// moveFile moves the selected file to the part before or after its own. The first comment
// comes last.
func (c *composer) moveFile(by int) tea.Cmd {
	a, parts := &c.media.list[c.media.cursor], len(c.commonParts())
	last := parts - 1
	if c.hasComment() {
		last = parts
	}
	part := a.part
	if part == postlist.CommentPart {
		part = parts
	}
	if part = max(0, min(part+by, last)); part == parts {
		part = postlist.CommentPart
	}
	if part == a.part {
		return nil
	}
	if slices.ContainsFunc(ofPart(c.media.list, part), func(other attachment) bool { return other.Asset.ID == a.Asset.ID && a.Asset.ID != "" }) {
		c.fault = postlist.PartName(part) + " already has " + postlist.FileName(a.Asset)
		return nil
	}
	a.part = part
	c.sortMedia()
	return c.check()
}

// handleUploaded takes the result of an upload. The daemon returns the same asset for the
// same bytes, and a part can show it once.
func (c *composer) handleUploaded(msg UploadedMsg) tea.Cmd {
	list := c.media.list
	i := slices.IndexFunc(list, func(a attachment) bool { return a.number == msg.number && a.uploading })
	if i < 0 {
		return nil // it was removed
	}
	a := &list[i]
	a.uploading = false
	if msg.err != nil {
		a.fault = screen.Explain(msg.err)
		return nil
	}
	if slices.ContainsFunc(ofPart(list, a.part), func(other attachment) bool { return other.Asset.ID == msg.asset.ID }) {
		holder := "the post"
		if c.hasSeveralParts() {
			holder = postlist.PartName(a.part)
		}
		c.removeMedia(i)
		c.fault = holder + " already has " + postlist.FileName(msg.asset)
		return nil
	}
	a.Asset = msg.asset
	if msg.asset.AltText != nil {
		a.Alt = *msg.asset.AltText
	}
	return c.check()
}

func (c *composer) removeMedia(i int) {
	c.media.list = slices.Delete(c.media.list, i, i+1)
	c.media.cursor = screen.Clamp(c.media.cursor, len(c.media.list))
}

// handleMediaKey moves through the files, removes one, moves one to another part, or edits
// an alt text.
func (c *composer) handleMediaKey(f Frame, k tea.KeyMsg) tea.Cmd {
	n := len(c.media.list)
	switch {
	case key.Matches(k, keys(f).Up):
		c.media.cursor = screen.Clamp(c.media.cursor-1, n)
	case key.Matches(k, keys(f).Down):
		c.media.cursor = screen.Clamp(c.media.cursor+1, n)
	case n == 0:
	case key.Matches(k, keys(f).Remove):
		c.removeMedia(c.media.cursor)
		return c.check()
	case key.Matches(k, keys(f).OtherPart) && k.Type == tea.KeyLeft:
		return c.moveFile(-1)
	case key.Matches(k, keys(f).OtherPart):
		return c.moveFile(1)
	case key.Matches(k, keys(f).Open) && c.media.list[c.media.cursor].Asset.ID != "":
		c.askAltText(f)
	}
	return nil
}

// mediaLines renders the files near the cursor, with a counter. A post without files has
// no lines.
func (c *composer) mediaLines(s postlist.Scene, width, room int) []string {
	list := c.media.list
	if len(list) == 0 {
		return nil
	}
	lines := []string{c.label("Media, "+screen.Plural(len(list), "file"), fieldMedia)}
	first := max(0, min(c.media.cursor-room/2, len(list)-room))
	for i := first; i < min(len(list), first+room); i++ {
		here := c.field == fieldMedia && i == c.media.cursor
		left, right := list[i].labels(s.Theme)
		if c.hasSeveralParts() {
			left = postlist.PartName(list[i].part) + ": " + left
		}
		const least = 12 // columns for the name
		right = screen.Clip(right, width-4-min(least, ansi.StringWidth(left)))
		left = screen.Clip(left, max(least, width-4-ansi.StringWidth(right)))
		lines = append(lines, screen.Justify(c.theme.Mark(here)+left, right, width-1))
	}
	return lines
}

// labels returns the name of a file, and its state.
func (a *attachment) labels(t screen.Theme) (left, right string) {
	switch {
	case a.uploading && a.size.Load() > 0:
		return screen.OneLine(a.path), t.Warn.Render(fmt.Sprintf("uploading %s, %d %%", postlist.ByteText(a.size.Load()), 100*a.sent.Load()/a.size.Load()))
	case a.uploading:
		return screen.OneLine(a.path), t.Warn.Render("uploading …")
	case a.fault != "":
		return screen.OneLine(a.path), t.Bad.Render(screen.OneLine(a.fault))
	case a.Alt == "":
		right = t.Warn.Render(postlist.AltLabel(""))
	default:
		right = postlist.AltLabel(a.Alt)
	}
	left = postlist.FileName(a.Asset)
	if facts := postlist.MediaFacts(a.Asset); facts != "" {
		left += " " + t.Faint.Render(facts)
	}
	return left, right
}
