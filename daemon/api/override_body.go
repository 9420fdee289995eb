package api

import (
	"fmt"

	"github.com/schedctl/schedctl"
)

var overrideFields = []string{"social_account_id", "content", "media", "options", "thread", "poll", "content_warning", "visibility", "language"}

// overrides reads target_overrides.
func (d *decoder) overrides() []schedctl.Override {
	advice := fmt.Sprintf("a post has at most %d accounts, and each has one override at most", schedctl.MaxAccounts)
	return shortList(d, "a list of objects", schedctl.MaxAccounts, advice, d.override)
}

// override reads one override. Null content or options mean the value that the
// account would get without the override.
func (d *decoder) override() (o schedctl.Override) {
	named := d.peek() != '{' // else its type is what is wrong
	d.object(overrideFields, func(name string) {
		if !d.partialField(name, &o.Partial) {
			o.AccountID, named = d.accountID(), true
		}
	})
	d.require(named, "social_account_id", "name one of social_account_ids")
	return o
}

func (d *decoder) accountID() string { return d.id("name one of social_account_ids") }

// id reads the id of an object. Responses do not repeat an id that is too long.
func (d *decoder) id(advice string) string {
	id, ok := d.text()
	switch {
	case len(id) > maxID:
		d.wrong(schedctl.ValidationFailed, "is too long for an id")
		return ""
	case ok && id == "":
		d.wrong(schedctl.ValidationFailed, "is empty; %s", advice)
	}
	return id
}

// optionalID is id for a field in which an empty text is allowed and removes the value.
func (d *decoder) optionalID() string {
	id, _ := d.text()
	if len(id) > maxID {
		d.wrong(schedctl.ValidationFailed, "is too long for an id")
		return ""
	}
	return id
}

func (d *decoder) ownContent() string {
	if d.null() {
		return ""
	}
	text, ok := d.text()
	if ok && text == "" {
		d.wrong(schedctl.ValidationFailed, "is empty; give a text, or null for that of the post")
	}
	return text
}

// maxSettings is the maximum length of the JSON of options or credentials, in
// bytes.
const maxSettings = 64 << 10

// options reads an object of options; null is an empty object.
func (d *decoder) options() schedctl.Options {
	if d.null() {
		return nil
	}
	options := schedctl.Options{}
	d.settings(func(name string) { options[name] = d.value() })
	return options
}

// settings reads an object with arbitrary names and at most maxSettings bytes.
func (d *decoder) settings(member func(name string)) {
	outer := d.kept
	d.kept = d.json.InputOffset() + maxSettings
	d.members(func(name string) {
		if !d.withinSizeLimit() {
			d.skip()
			return
		}
		member(name)
	})
	if !d.withinSizeLimit() {
		d.wrong(schedctl.ValidationFailed, "has more than %d bytes; send less", maxSettings)
	}
	d.kept = outer
}
