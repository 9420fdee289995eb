package main

import (
	"bytes"
	"errors"
	"io"
	"text/template"
	"time"
)

// compileTemplate reads a template of package text/template.
func (a *app) compileTemplate(text string) (filter, error) {
	funcs := &templateFuncs{app: a}
	parsed, err := template.New("--template").Funcs(funcs.all()).Option("missingkey=error").Parse(text)
	if err != nil {
		f := usage("%s", withoutPrefix(err, "template: "))
		f.hint = "see: schedctl help formatting"
		return nil, f
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
func (a *app) runTemplate(parsed *template.Template, result any) ([]byte, error) {
	type outcome struct {
		out []byte
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var b limited
		err := a.execute(parsed, &b, a.templateData(result))
		done <- outcome{b.Bytes(), err}
	}()
	timer := time.NewTimer(a.filterTime)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.out, o.err
	case <-timer.C:
		return nil, a.filterTimedOut()
	}
}

// execute ends by writing the current table, if any.
func (a *app) execute(parsed *template.Template, w io.Writer, data any) error {
	funcs := &templateFuncs{app: a}
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
func (a *app) templateData(doc any) any {
	return mapLeaves(doc, func(leaf any) any {
		text, isText := leaf.(string)
		switch {
		case leaf == nil:
			return ""
		case isText && a.outTerminal:
			return printable(text)
		}
		return leaf
	})
}

// filtered is a document as the filter prints it. On a terminal it ends with a
// line break, or the prompt would follow it.
func (a *app) filtered(doc []byte) ([]byte, error) {
	v, err := decoded(doc)
	if err != nil {
		return nil, err
	}
	out, err := a.filter(v)
	if a.outTerminal && len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return out, err
}
