package main

// printLine writes v as a line of JSON: an object of a stream. --json, --jq and
// --template apply to each object separately.
func (a *app) printLine(v any) error {
	doc, err := a.document(v)
	switch {
	case err != nil:
		return err
	case a.filter != nil:
		if doc, err = a.filtered(doc); err != nil {
			return err
		}
		return a.write(doc)
	case a.outTerminal:
		doc = escapeUnprintable(doc)
	}
	return a.write(append(doc, '\n'))
}
