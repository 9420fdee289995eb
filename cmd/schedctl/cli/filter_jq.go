package cli

import (
	"context"
	"errors"

	"github.com/itchyny/gojq"
)

// compileJQ compiles a jq expression (https://jqlang.org). Its results are printed as
// by "jq -r", one value a line: strings unquoted, everything else as JSON.
func (a *App) compileJQ(text string) (filter, error) {
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, jqUsage(withoutPrefix(err, "gojq: "))
	}
	code, err := gojq.Compile(query, gojq.WithEnvironLoader(a.Environ))
	if err != nil {
		return nil, jqUsage(withoutPrefix(err, "gojq: "))
	}
	return func(result any) ([]byte, error) {
		out, err := a.runJQ(code, result)
		if err != nil {
			return nil, filterFailure("--jq", err)
		}
		return out, nil
	}, nil
}

func jqUsage(message string) error {
	return UsageError("--jq: %s", message).WithHint("write an expression of jq, such as .id or '.[] | select(.status == \"failed\") | .id'")
}

func (a *App) runJQ(code *gojq.Code, result any) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), a.FilterTime, a.filterTimedOut())
	defer cancel()
	var out limitedBuffer
	for values := code.RunWithContext(ctx, result); ; {
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
			return nil, errors.New(withoutPrefix(err, "gojq: "))
		}
		line, err := a.jqLine(v)
		if err != nil {
			return nil, err
		}
		if _, err := out.Write(line); err != nil {
			return nil, err
		}
	}
}

// jqLine is one value, with its line break.
func (a *App) jqLine(v any) ([]byte, error) {
	text, isText := v.(string)
	if isText && a.OutTerminal {
		text = Printable(text)
	}
	if isText {
		return []byte(text + "\n"), nil
	}
	doc, err := gojq.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(a.ForReader(doc), '\n'), nil
}
