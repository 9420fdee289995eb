package filter

import (
	"context"
	"errors"

	"github.com/itchyny/gojq"
)

// JQ compiles a jq expression (https://jqlang.org). The results are printed as by
// "jq -r": one value per line, strings unquoted, everything else as JSON.
func JQ(expression string, o Options) (Filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, withoutPrefix(err, "gojq: ")
	}
	code, err := gojq.Compile(query, gojq.WithEnvironLoader(o.Environ))
	if err != nil {
		return nil, withoutPrefix(err, "gojq: ")
	}
	return func(doc []byte) ([]byte, error) {
		v, err := decode(doc)
		if err != nil {
			return nil, err
		}
		return o.runJQ(code, v)
	}, nil
}

func (o *Options) runJQ(code *gojq.Code, doc any) ([]byte, error) {
	limit, timedOut := o.timeout()
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, timedOut)
	defer cancel()
	var out limitedBuffer
	for values := code.RunWithContext(ctx, doc); ; {
		v, more := values.Next()
		if !more {
			return out.Bytes(), nil
		}
		if err, failed := v.(error); failed {
			var halt *gojq.HaltError
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case errors.As(err, &halt) && halt.Value() == nil:
				return out.Bytes(), nil
			}
			return nil, withoutPrefix(err, "gojq: ")
		}
		line, err := o.jqLine(v)
		if err != nil {
			return nil, err
		}
		if _, err := out.Write(line); err != nil {
			return nil, err
		}
	}
}

// jqLine returns one value with its line break.
func (o *Options) jqLine(v any) ([]byte, error) {
	if text, isText := v.(string); isText {
		if o.Terminal {
			text = o.Printable(text)
		}
		return []byte(text + "\n"), nil
	}
	doc, err := gojq.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(o.Indent(doc), '\n'), nil
}
