package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// decoder reads one JSON text (RFC 8259) strictly and in one pass. Package jsontext
// rejects input that two parsers could understand differently: duplicate names,
// lone surrogates, invalid UTF-8, and anything that is not JSON.
//
// Reading ends at a syntax error, or in a body with hundreds of faults: err is set
// and every further call returns a zero value. Valid JSON of the wrong type or
// value is a fault. The decoder skips it and continues, so that one response names
// several faults. It builds paths, messages and suggestions only for these. Reading
// time is therefore linear in the body size, and the response size does not depend
// on it.
type decoder struct {
	json   *jsontext.Decoder
	err    *schedctl.Error
	faults fieldErrors
	nulls  []string        // the fields of the body that are null
	agent  bool            // the body is from the key of an agent
	policy outbound.Policy // of the addresses in the body
	kept   int64           // values after this offset are skipped, see settings
}

const (
	maxDepth = 32  // maximum nesting of objects and lists
	maxName  = 64  // maximum bytes of a client's name or value in a message
	maxPath  = 128 // maximum bytes of a field's path
)

// decode reads the body of a request with the key. read must consume exactly one value.
func decode[B any](key *schedctl.APIKey, body []byte, read func(*decoder) B) (B, error) {
	d := newDecoder(body)
	d.agent = key.Agent
	b := read(d)
	return b, d.finish()
}

func newDecoder(data []byte) *decoder {
	d := &decoder{json: jsontext.NewDecoder(bytes.NewBuffer(data)), kept: int64(len(data))}
	switch {
	case len(data) == 0:
		d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body is empty; send a JSON object")
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body starts with a byte order mark; send UTF-8 without one")
	}
	return d
}

// finish returns the syntax error, or else the first fault with all faults as
// details.
func (d *decoder) finish() error {
	if d.err == nil {
		if _, err := d.json.ReadToken(); err != io.EOF {
			d.syntax(d.json.InputOffset(), "unexpected data after the JSON value")
		}
	}
	if d.err != nil {
		return d.err
	}
	return d.faults.Err()
}

// syntax records a syntax error at a byte offset.
func (d *decoder) syntax(offset int64, what string) {
	d.err = schedctl.Errorf(schedctl.InvalidJSON, "", "the body is not valid JSON: after byte %d, %s", offset, what)
}

// failed records the error that ended reading.
func (d *decoder) failed(err error) {
	offset := d.json.InputOffset()
	var broken *jsontext.SyntacticError
	if errors.As(err, &broken) {
		offset, err = broken.ByteOffset, broken.Err
	}
	switch {
	case err == jsontext.ErrDuplicateName:
		d.syntax(offset, "the name "+strconv.Quote(clip(broken.JSONPointer.LastToken(), maxName))+" appears twice")
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		d.syntax(offset, "the JSON text is incomplete")
	default:
		d.syntax(offset, clip(err.Error(), maxPath))
	}
}

// peek returns the kind of the next token, 0 at the end.
func (d *decoder) peek() jsontext.Kind {
	if d.err != nil {
		return 0
	}
	return d.json.PeekKind()
}

// next reads a token. It returns false after a syntax error, and when too many
// faults ended reading.
func (d *decoder) next() (jsontext.Token, bool) {
	if d.err == nil && d.faults.Full() {
		d.err = asError(d.faults.Err())
	}
	if d.err != nil {
		return jsontext.Token{}, false
	}
	token, err := d.json.ReadToken()
	if err != nil {
		d.failed(err)
	} else if d.json.StackDepth() > maxDepth {
		d.syntax(d.json.InputOffset(), "objects and lists are nested too deeply")
	}
	return token, d.err == nil
}

// more reports whether another element follows, and reads the closing token when
// none does.
func (d *decoder) more(closing jsontext.Kind) bool {
	switch d.peek() {
	case closing, 0:
		d.next()
		return false
	}
	return true
}

// skip reads a value and checks only its syntax.
func (d *decoder) skip() {
	depth := d.json.StackDepth()
	for {
		if _, ok := d.next(); !ok || d.json.StackDepth() <= depth {
			return
		}
	}
}

// path returns the path of the value that was read last, such as
// "target_overrides[2].options.langs".
func (d *decoder) path() string {
	path, level := "", 0
	for token := range d.json.StackPointer().Tokens() {
		level++
		if kind, _ := d.json.StackIndex(level); kind == '[' {
			path += "[" + token + "]"
		} else {
			path = join(path, clip(token, maxName))
		}
	}
	return clip(path, maxPath)
}

// fault records that the value read last is invalid. Pass expensive arguments as a
// [fmt.Stringer]: faults beyond maxFaults are counted and not formatted.
func (d *decoder) fault(code schedctl.Code, format string, args ...any) {
	if d.err == nil && d.faults.Count() {
		d.faults.Add(fieldError(code, d.path(), format, args...))
	}
}

// wrong records a fault whose message starts with the path of the value.
func (d *decoder) wrong(code schedctl.Code, format string, args ...any) {
	if d.err == nil && d.faults.Count() {
		path := d.path()
		d.faults.Add(fieldError(code, path, "%s "+format, append([]any{cmp.Or(path, "the body")}, args...)...))
	}
}

// refuse records an error as a fault.
func (d *decoder) refuse(err error) {
	if d.err == nil && d.faults.Count() {
		e := asError(err)
		d.faults.Add(schedctl.FieldError{Field: e.Field, Code: e.Code, Message: e.Message})
	}
}

// clean reports whether no fault was found so far.
func (d *decoder) clean() bool { return d.err == nil && d.faults.Empty() }

// require records a fault when a member of the object read last is missing. A member
// that already has a fault is not missing.
func (d *decoder) require(given bool, name, advice string) {
	if given || d.err != nil {
		return
	}
	field := join(d.path(), name)
	if d.faults.Has(field) {
		return
	}
	if d.faults.Count() {
		d.faults.Add(fieldError(schedctl.ValidationFailed, field, "%s is missing; %s", field, advice))
	}
}

// mismatch skips a value of the wrong type and records it.
func (d *decoder) mismatch(want string) {
	got := kinds[d.peek()]
	d.skip()
	d.wrong(schedctl.ValidationFailed, "must be %s, not %s", want, got)
}

var kinds = map[jsontext.Kind]string{
	'{': "an object", '[': "a list", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null", '0': "a number",
}

// withinSizeLimit reports whether the settings being read are still within their
// size limit.
func (d *decoder) withinSizeLimit() bool { return d.json.InputOffset() <= d.kept }
