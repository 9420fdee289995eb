package cli

import (
	"bytes"
	"errors"
	"io"
	"text/template"
	"time"
)

// compileTemplate reads a template of package text/template.
func (a *App) compileTemplate(text string) (filter, error) {
	funcs := &templateFuncs{App: a}
	parsed, err := template.New("--template").Funcs(funcs.all()).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, UsageError("%s", withoutPrefix(err, "template: ")).WithHint("see: schedctl help formatting")
	}
	return func(result any) ([]byte, error) {
		out, err := a.runTemplate(parsed, result)
		if err != nil {
			return nil, filterFailure("--template", err)
		}
		return out, nil
	}, nil
}

// runTemplate leaves a template behind that does not end: nothing can stop it,
// and it ends with the process.
func (a *App) runTemplate(parsed *template.Template, result any) ([]byte, error) {
	type outcome struct {
		out []byte
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var b limitedBuffer
		err := a.execute(parsed, &b, a.templateData(result))
		done <- outcome{b.Bytes(), err}
	}()
	timer := time.NewTimer(a.FilterTime)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.out, o.err
	case <-timer.C:
		return nil, a.filterTimedOut()
	}
}

// execute ends by writing the current table, if any.
func (a *App) execute(parsed *template.Template, w io.Writer, data any) error {
	funcs := &templateFuncs{App: a}
	copied, err := parsed.Clone()
	if err != nil {
		return err
	}
	if err := copied.Funcs(funcs.all()).Execute(w, data); err != nil {
		if errors.Is(err, errFilterSize) {
			return errFilterSize
		}
		return errors.New(withoutPrefix(err, "template: --template:"))
	}
	_, err = io.WriteString(w, funcs.tablerender())
	return err
}

// templateData prepares a document: null is printed as nothing, and what could
// take a terminal over is replaced there.
func (a *App) templateData(doc any) any {
	return mapLeaves(doc, func(leaf any) any {
		text, isText := leaf.(string)
		switch {
		case leaf == nil:
			return ""
		case isText && a.OutTerminal:
			return Printable(text)
		}
		return leaf
	})
}

// Filtered is a document as the filter prints it. On a terminal it ends with a
// line break, or the prompt would follow it.
func (a *App) Filtered(doc []byte) ([]byte, error) {
	v, err := decodeJSON(doc)
	if err != nil {
		return nil, err
	}
	out, err := a.Filter(v)
	if a.OutTerminal && len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return out, err
}
