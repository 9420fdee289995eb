package api

import "github.com/schedctl/schedctl"

// annotation reads the value of a field that identifies, groups or describes a post. For any
// other field it reads nothing and returns false.
func (d *decoder) annotation(name string, a *schedctl.Annotation) bool {
	switch name {
	case "external_id":
		a.ExternalID = new(d.externalID())
	case "managed":
		a.Managed = d.managed()
	case "labels":
		a.Labels = new(d.labels())
	case "title":
		a.Title = new(d.title())
	case "post_style":
		a.Style = new(d.style())
	default:
		return false
	}
	return true
}

// externalID reads an external id, empty for null.
func (d *decoder) externalID() string {
	if d.null() {
		return ""
	}
	id, ok := d.text()
	if err := schedctl.CheckExternalID(id); ok && err != nil {
		d.refuse(err)
		return ""
	}
	return id
}

var managedFields = []string{"collection", "path", "digest", "pruned"}

// managed reads the managed field, which names the source file of a post. It
// returns the zero value for null.
func (d *decoder) managed() *schedctl.Managed {
	m := &schedctl.Managed{}
	if d.null() {
		return m
	}
	given := map[string]bool{}
	object := d.peek() == '{'
	d.object(managedFields, func(name string) {
		given[name] = true
		switch name {
		case "collection":
			m.Collection = d.string()
		case "path":
			m.Path = d.string()
		case "digest":
			m.Digest = d.string()
		case "pruned":
			m.Pruned = d.bool()
		}
	})
	for _, name := range managedFields[:3] {
		d.require(given[name] || !object, name, "managed needs collection, path and digest")
	}
	if d.clean() {
		if err := m.Check(); err != nil {
			d.refuse(err)
		}
	}
	return m
}

// labels reads a list of labels. When there are too many, it discards the rest.
func (d *decoder) labels() []string {
	labels := []string{}
	d.list("a list of strings", func() {
		if len(labels) > schedctl.MaxLabels {
			d.skip()
			return
		}
		label, ok := d.text()
		if ok {
			if err := schedctl.CheckLabel(d.path(), label); err != nil {
				d.refuse(err)
			}
		}
		labels = append(labels, label)
	})
	if len(labels) > schedctl.MaxLabels {
		d.wrong(schedctl.ValidationFailed, "has more than %d entries", schedctl.MaxLabels)
	}
	return labels
}

// replaces reads the id of a post, empty for null.
func (d *decoder) replaces() string {
	if d.null() {
		return ""
	}
	id, ok := d.text()
	if _, valid := schedctl.ParseID(schedctl.PostPrefix, id); ok && !valid {
		d.wrong(schedctl.ValidationFailed, "is not the id of a post")
	}
	return id
}

// cancelPost is the body of POST /posts/{id}/cancel.
type cancelPost struct {
	managed *schedctl.Managed // nil keeps the current value
}

func readCancelPost(d *decoder) (b cancelPost) {
	d.object([]string{"managed"}, func(string) { b.managed = d.managed() })
	return b
}
