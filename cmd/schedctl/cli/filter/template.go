package filter

import (
	"bytes"
	"errors"
	"io"
	"text/template"
	"time"
)

// Template compiles a template of package text/template. On a terminal, the output
// ends with a line break, because the prompt would follow it otherwise.
func Template(text string, o Options) (Filter, error) {
	parsed, err := template.New("--template").Funcs((&templateFuncs{}).all()).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, withoutPrefix(err, "template: --template:")
	}
	return func(doc []byte) ([]byte, error) {
		v, err := decode(doc)
		if err != nil {
			return nil, err
		}
		out, err := o.runTemplate(parsed, o.templateData(v))
		if o.Terminal && len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		return out, err
	}, nil
}

// runTemplate executes a template. Nothing can stop a template that does not end, so
// its goroutine is left behind and ends with the process.
func (o *Options) runTemplate(parsed *template.Template, data any) ([]byte, error) {
	type outcome struct {
		out []byte
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var b limitedBuffer
		err := o.execute(parsed, &b, data)
		done <- outcome{b.Bytes(), err}
	}()
	limit, timedOut := o.timeout()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case result := <-done:
		return result.out, result.err
	case <-timer.C:
		return nil, timedOut
	}
}

// execute writes the output of a template, and the table that it has not rendered.
func (o *Options) execute(parsed *template.Template, w io.Writer, data any) error {
	funcs := &templateFuncs{Options: o}
	copied, err := parsed.Clone()
	if err != nil {
		return err
	}
	if err := copied.Funcs(funcs.all()).Execute(w, data); err != nil {
		if errors.Is(err, errTooMuch) {
			return errTooMuch
		}
		return withoutPrefix(err, "template: --template:")
	}
	_, err = io.WriteString(w, funcs.tablerender())
	return err
}

// templateData prepares a document: null is printed as nothing, and texts cannot
// control a terminal.
func (o *Options) templateData(doc any) any {
	return mapLeaves(doc, func(leaf any) any {
		text, isText := leaf.(string)
		switch {
		case leaf == nil:
			return ""
		case isText && o.Terminal:
			return o.Printable(text)
		}
		return leaf
	})
}
