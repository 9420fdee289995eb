package cli

// PrintLine writes v as a line of JSON: an object of a stream. --json, --jq and
// --template apply to each object separately.
func (a *App) PrintLine(v any) error {
	line, err := a.line(v)
	if err != nil {
		return err
	}
	return a.writeExactly(line)
}

// StreamLine is [App.PrintLine] for work that has no end. A filter that fails for an object
// is reported, and does not stop the work.
func (a *App) StreamLine(v any) error {
	line, err := a.line(v)
	if err != nil {
		a.Messagef("left out: %s", ErrorLine(err))
		return nil
	}
	return a.writeExactly(line)
}

// line returns v as a line of JSON, or what the filter makes of it.
func (a *App) line(v any) ([]byte, error) {
	doc, err := a.document(v)
	switch {
	case err != nil:
		return nil, err
	case a.Filter != nil:
		return a.Filter(doc)
	case a.OutTerminal:
		doc = escapeUnprintable(doc)
	}
	return append(doc, '\n'), nil
}
