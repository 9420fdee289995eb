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

// maxEventLine is the longest line of a stream that is read, in bytes. Events
// are far smaller.
const maxEventLine = 1 << 20

// serverSentEvent is one message of a stream of server-sent events.
type serverSentEvent struct {
	id   string // of the stream after this message; empty when it never had one
	name string
	data []byte // nil when the message only sets the id or a pause
}

// eventParser reads server-sent events as the HTML standard describes them
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type eventParser struct {
	lines *bufio.Scanner
	id    string
	retry time.Duration // the pause that the server asked for last; 0 for none
	begun bool          // the first line has been read
}

func newEventParser(r io.Reader) *eventParser {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxEventLine)
	lines.Split(scanEventLines)
	return &eventParser{lines: lines}
}

// next returns the next message, or io.EOF at the end. A message without its
// empty line was cut off, and is not returned.
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

// field takes a line over into the message. Comments and unknown fields are
// passed over.
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

// scanEventLines splits at CR LF, LF or CR. A line at the end that is not ended
// is left out.
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
	return 0, nil, nil // whether LF follows is not known yet
}

var errCutOff = errors.New("a line was cut off")
