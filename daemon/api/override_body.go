package api

import (
	"strconv"

	"github.com/schedctl/schedctl"
)

var overrideFields = []string{"social_account_id", "content", "options"}

// overrides reads target_overrides.
func (d *decoder) overrides(path string) []schedctl.Override {
	list := []schedctl.Override{}
	d.list(path, "a list of objects", func(i int) {
		list = append(list, d.override(path+"["+strconv.Itoa(i)+"]"))
	})
	return list
}

// override reads one of them. Null, for content as for options, stands for those
// that the account would get anyway.
func (d *decoder) override(path string) (o schedctl.Override) {
	named := d.peek() != '{' // else its type is what is wrong
	d.object(path, overrideFields, func(name string) {
		switch at := join(path, name); name {
		case "social_account_id":
			o.AccountID, named = d.id(at), true
		case "content":
			o.Content = d.ownContent(at)
		case "options":
			o.Options = d.options(at)
		}
	})
	d.require(named, join(path, "social_account_id"), "name one of social_account_ids")
	return o
}

// id reads the id of an account. No answer repeats one that is too long.
func (d *decoder) id(path string) string {
	noted := len(d.faults)
	id := d.string(path)
	if id == "" && d.err == nil && len(d.faults) == noted {
		d.fault(schedctl.ValidationFailed, path, "%s is empty; name one of social_account_ids", path)
	}
	if len(id) > maxID {
		d.fault(schedctl.ValidationFailed, path, "%s is longer than any id", path)
		return clip(id, maxID)
	}
	return id
}

func (d *decoder) ownContent(path string) string {
	if d.null() {
		return ""
	}
	noted := len(d.faults)
	text := d.string(path)
	if text == "" && d.err == nil && len(d.faults) == noted {
		d.fault(schedctl.ValidationFailed, path, "%s is empty; give a text, or null for that of the post", path)
	}
	return text
}

// options reads an object of settings, of which null is one without any.
func (d *decoder) options(path string) schedctl.Options {
	if d.null() {
		return nil
	}
	options := schedctl.Options{}
	d.members(path, func(name string) { options[name] = d.value(join(path, clip(name, 64))) })
	return options
}
