package api

import "github.com/schedctl/schedctl"

// maxMediaRead is how many files of a list are read. The limit of the daemon is checked
// later.
const maxMediaRead = 100

// onlyMediaField records which of the fields media and media_asset_ids a body has. Both
// together are a fault.
func (d *decoder) onlyMediaField(name string, given *string) {
	if *given != "" && d.err == nil && d.faults.Count() {
		d.faults.Add(invalid(name, "media and media_asset_ids do not go together; give one of them"))
	}
	*given = name
}

// mediaField reads a list of files: objects, or ids for the field media_asset_ids. The
// result is not nil. The hashes are not set.
func (d *decoder) mediaField(name string) []schedctl.PostMedia {
	read, want := d.postMedia, "a list of objects"
	if name == "media_asset_ids" {
		want = "a list of strings"
		read = func() schedctl.PostMedia { return schedctl.PostMedia{AssetID: d.assetID()} }
	}
	return shortList(d, want, maxMediaRead, "send fewer files", read)
}

var postMediaFields = []string{"id", "alt_text"}

// postMedia reads one file. Null for alt_text means the alt text of the asset. An
// empty text means that the file has no alt text.
func (d *decoder) postMedia() (m schedctl.PostMedia) {
	named := d.peek() != '{' // else its type is what is wrong
	d.object(postMediaFields, func(name string) {
		switch name {
		case "id":
			m.AssetID, named = d.assetID(), true
		case "alt_text":
			m.AltText, m.HasAltText = d.altText()
		}
	})
	d.require(named, "id", "give the id of a media asset")
	return m
}

func (d *decoder) assetID() string { return d.id("give the id of a media asset") }

// altText reads an alt text. given is false for null.
func (d *decoder) altText() (text string, given bool) {
	if d.null() {
		return "", false
	}
	text, ok := d.text()
	if ok {
		if err := schedctl.CheckAltText(d.path(), text); err != nil {
			d.refuse(err)
			return "", true
		}
	}
	return text, true
}
