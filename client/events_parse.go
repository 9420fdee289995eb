package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxEventLine is the maximum length of a line in a stream, in bytes. Events are far
// smaller.
const maxEventLine = 1 << 20

// serverSentEvent is one message of a stream of server-sent events.
type serverSentEvent struct {
	id   string // the latest id of the stream; empty before the first one
	name string
	data []byte // nil if the message only sets the id or the pause
}

// eventParser reads server-sent events, as defined by the HTML standard
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type eventParser struct {
	lines *bufio.Scanner
	id    string
	retry time.Duration // the latest pause that the server asked for; 0 for none
	begun bool          // the first line has been read
}

func newEventParser(r io.Reader) *eventParser {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxEventLine)
	lines.Split(scanEventLines)
	return &eventParser{lines: lines}
}

// next returns the next message, or io.EOF at the end. It drops an incomplete message,
// which has no empty line at its end.
func (p *eventParser) next() (serverSentEvent, error) {
	var m serverSentEvent
	for p.lines.Scan() {
		line := p.lines.Bytes()
		if !p.begun {
			line, p.begun = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), true
		}
		if len(line) > 0 {
			p.field(&m, line)
			continue
		}
		m.id = p.id
		m.data = bytes.TrimSuffix(m.data, []byte("\n"))
		return m, nil
	}
	if err := p.lines.Err(); err != nil {
		return serverSentEvent{}, fmt.Errorf("read events: %w", err)
	}
	return serverSentEvent{}, io.EOF
}

// field adds a line to the message. It ignores comments and unknown fields.
func (p *eventParser) field(m *serverSentEvent, line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		m.name = string(value)
	case "data":
		m.data = append(append(m.data, value...), '\n')
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.id = string(value)
		}
	case "retry":
		digits := strings.Trim(string(value), "0123456789") == ""
		if ms, err := strconv.Atoi(string(value)); err == nil && digits {
			p.retry = min(time.Duration(ms), 1<<30) * time.Millisecond
		}
	}
}

// scanEventLines splits at CR LF, LF or CR. It drops a last line without a line end.
func scanEventLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	end := bytes.IndexAny(data, "\r\n")
	switch {
	case end < 0 && atEOF && len(data) > 0:
		return 0, nil, errCutOff
	case end < 0:
		return 0, nil, nil
	case data[end] == '\n':
		return end + 1, data[:end], nil
	case end+1 < len(data) && data[end+1] == '\n':
		return end + 2, data[:end], nil
	case end+1 < len(data) || atEOF:
		return end + 1, data[:end], nil
	}
	return 0, nil, nil // an LF may follow
}

var errCutOff = errors.New("a line was cut off")
