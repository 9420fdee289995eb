package cli

// PrintLine writes v as a line of JSON: an object of a stream. --json, --jq and
// --template apply to each object separately.
func (a *App) PrintLine(v any) error {
	doc, err := a.document(v)
	switch {
	case err != nil:
		return err
	case a.Filter != nil:
		if doc, err = a.Filter(doc); err != nil {
			return err
		}
		return a.writeExactly(doc)
	case a.OutTerminal:
		doc = escapeUnprintable(doc)
	}
	return a.writeExactly(append(doc, '\n'))
}
