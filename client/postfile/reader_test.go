package postfile_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// read returns all rows, each as it is or as what is wrong with it.
func read(t *testing.T, text string, f postfile.Format) (rows []postfile.Document, faults []string) {
	t.Helper()
	for r := postfile.NewReader(strings.NewReader(text), f); ; {
		row, err := r.Next()
		var at *postfile.Error
		switch {
		case err == io.EOF:
			if _, again := r.Next(); again != io.EOF {
				t.Errorf("after the end: %v", again)
			}
			return rows, faults
		case err == nil:
			rows = append(rows, row)
			continue
		case !errors.As(err, &at):
			t.Fatal(err)
		}
		faults = append(faults, err.Error())
		if at.Final {
			if _, again := r.Next(); again != err {
				t.Errorf("after %v: %v", err, again)
			}
			return rows, faults
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	hello := []postfile.Document{{Post: apiv1.CreatePost{Content: "Hello"}, First: 2}}
	full := []postfile.Document{{ID: "1", Post: apiv1.CreatePost{Content: "Hello, you"}, To: []string{"blog", "mastodon:me"}, At: "2027-01-01 9:00", TZ: "UTC", First: 2}}
	for name, tc := range map[string]struct {
		text string
		want []postfile.Document
	}{
		"all columns":                    {"id,content,to,at,tz\n1,\"Hello, you\",blog;mastodon:me,2027-01-01 9:00,UTC\n", full},
		"names from elsewhere":           {"id,Text,Accounts,Date,timezone\n1,\"Hello, you\",blog;mastodon:me,2027-01-01 9:00,UTC\n", full},
		"in another order":               {"tz,at,to,content,id\nUTC,2027-01-01 9:00,blog;mastodon:me,\"Hello, you\",1\n", full},
		"names in any case, with spaces": {"ID, Content ,TO,at,Tz\n 1 ,\"Hello, you\", blog ; mastodon:me; ,2027-01-01 9:00 , UTC\n", full},
		"semicolons":                     {"id;content;to;at;tz\n1;Hello, you;\"blog;mastodon:me\";2027-01-01 9:00;UTC\n", full},
		"tabs":                           {"id\tcontent\tto\tat\ttz\n1\tHello, you\tblog;mastodon:me\t2027-01-01 9:00\tUTC\n", full},
		"the label of a spreadsheet":     {"sep=;\nid;content;to;at;tz\n1;Hello, you;\"blog;mastodon:me\";2027-01-01 9:00;UTC\n", []postfile.Document{{ID: "1", Post: apiv1.CreatePost{Content: "Hello, you"}, To: []string{"blog", "mastodon:me"}, At: "2027-01-01 9:00", TZ: "UTC", First: 3}}},
		"separated by anything":          {"sep=|\r\ncontent|id\r\nHello|\r\n", []postfile.Document{{Post: apiv1.CreatePost{Content: "Hello"}, First: 3}}},
		"one column":                     {"content\nHello\n", hello},
		"without a last line break":      {"content\nHello", hello},
		"after a quote":                  {"content\n\"Hello\"", hello},
		"lines of Windows":               {"content,id\r\nHello,\r\n", hello},
		"quoted lines of Windows":        {"content\r\n\"Hello\"\r\n", hello},
		"ending in half of one":          {"content\r\n\"Hello\"\r", hello},
		"a byte order mark":              {"\ufeffcontent\nHello\n", hello},
		"columns without names":          {"content,id,, \nHello,,, \n", hello},
		"a quoted header":                {"\ufeff\"content\",\"id\"\nHello,\n", hello},
		"empty lines":                    {"\n\r\ncontent,id\n\n\r\n,\nHello,\n\n,\n", []postfile.Document{{Post: apiv1.CreatePost{Content: "Hello"}, First: 7}}},
		"quotes in quotes":               {"content\n\"\"\"Hello\"\" \"\"\"\n", []postfile.Document{{Post: apiv1.CreatePost{Content: `"Hello" "`}, First: 2}}},
		"several lines in quotes":        {"content,id\n\"one\r\ntwo\n\nfour\",1\nnext,2\n", []postfile.Document{{Post: apiv1.CreatePost{Content: "one\r\ntwo\n\nfour"}, ID: "1", First: 2}, {Post: apiv1.CreatePost{Content: "next"}, ID: "2", First: 6}}},
		"a carriage return in a text":    {"content\nHel\rlo\n", []postfile.Document{{Post: apiv1.CreatePost{Content: "Hel\rlo"}, First: 2}}},
		"spaces around a text":           {"content\n  Hello \n", []postfile.Document{{Post: apiv1.CreatePost{Content: "  Hello "}, First: 2}}},
		"what looks like a formula":      {"content\n=1+1\n", []postfile.Document{{Post: apiv1.CreatePost{Content: "=1+1"}, First: 2}}},
		"no rows":                        {"content\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []postfile.Format{postfile.CSV, ""} {
				got, faults := read(t, tc.text, f)
				if diff := cmp.Diff(tc.want, got, ignorePositions, cmpopts.EquateEmpty()); diff != "" || faults != nil {
					t.Errorf("%v, -want +got:\n%s", faults, diff)
				}
			}
		})
	}
}

func TestJSONL(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []postfile.Document
	}{
		"all keys":          {`{"id":"1","content":"Hello","to":["a;b","c"],"at":"in 2h","tz":"UTC"}`, []postfile.Document{{ID: "1", Post: apiv1.CreatePost{Content: "Hello"}, To: []string{"a;b", "c"}, At: "in 2h", TZ: "UTC", First: 1}}},
		"other names":       {`{"id":"1","body":"Hello","account":["a"],"publish_at":"in 2h","timezone":"UTC"}`, []postfile.Document{{ID: "1", Post: apiv1.CreatePost{Content: "Hello"}, To: []string{"a"}, At: "in 2h", TZ: "UTC", First: 1}}},
		"empty lines":       {"\n \t\r\n{\"content\":\"Hello\"}\r\n\n", []postfile.Document{{Post: apiv1.CreatePost{Content: "Hello"}, First: 3}}},
		"nothing is null":   {`{"id":null,"content":"Hello","to":null,"at":null}`, []postfile.Document{{Post: apiv1.CreatePost{Content: "Hello"}, First: 1}}},
		"a byte order mark": {"\ufeff{\"content\":\"Hello\"}", []postfile.Document{{Post: apiv1.CreatePost{Content: "Hello"}, First: 1}}},
		"escapes":           {`{"content":"\u00e9\ud83d\ude00\r\n\ufffd` + "\ufffd" + `"}`, []postfile.Document{{Post: apiv1.CreatePost{Content: "é😀\r\n\ufffd\ufffd"}, First: 1}}},
		"nothing":           {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults := read(t, tc.text, postfile.JSONL)
			if diff := cmp.Diff(tc.want, got, ignorePositions, cmpopts.EquateEmpty()); diff != "" || faults != nil {
				t.Errorf("%v, -want +got:\n%s", faults, diff)
			}
		})
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, tc := range map[string]struct {
		text string
		rows int // that can be read all the same
		want []string
	}{
		"unknown columns":     {"id,picture,video,\nHello\n", 0, []string{`line 1: unknown column "picture", "video"; the first line names the columns, which are id, content, to, at, tz, media, alt, thread, first_comment`}},
		"a cell without":      {"content,,id,\nHello,,1,\nHello,,1,note\nHello, x ,1,\n", 1, []string{`line 3: column D has "note", and no name`, `line 4: column B has " x ", and no name`}},
		"no header":           {"Hello,blog\n", 0, []string{`line 1: unknown column "Hello", "blog"; the first line names`}},
		"a column twice":      {"content,Content\n", 0, []string{`line 1: the columns "content" and "Content" are both "content"; keep one`}},
		"three times":         {"text,Date,time,at\n", 0, []string{`line 1: the columns "Date" and "time" are both "at"; keep one`}},
		"a time alone":        {"text,Date,time\na,,9:00\nb,,\n", 1, []string{`line 2: the line has a time of day, and no date`}},
		"overrides in CSV":    {"text,overrides\n", 0, []string{`line 1: unknown column "overrides"`}},
		"no content":          {"id,to\n", 0, []string{`line 1: the column "content" is missing`}},
		"an empty file":       {"\n", 0, []string{`line 1: the file is empty`}},
		"too few and many":    {"content,id\nHello\nHello, you,1\nHello,1\n", 1, []string{`line 2: the line has 1 fields`, `line 3: the line has 3 fields, and the first line names 2 columns; quote a text that contains ',', and separate accounts with ";"`}},
		"a bare quote":        {"content,id\nHel\"lo\",\nHello,1\n", 1, []string{`line 2: there is a quote inside of a field that is not quoted`}},
		"text after a quote":  {"content,id\n\"Hello\n\"you,1\nHello,1\n", 1, []string{`line 2: there is text after the closing quote`}},
		"an open quote":       {"content,id\nHello,1\n\"Hello,1\nHello,1\n", 1, []string{`line 3: a quote is opened in this line and never closed`}},
		"a long line":         {"content\n" + long + "x\nHello\n", 0, []string{`line 2: the line is longer than 1 MiB`}},
		"a long quote":        {"content\n\"" + long + "x\"\n", 0, []string{`line 2: the line is longer than 1 MiB`}},
		"many long fields":    {"content,id,to\n" + long + "," + long + ",x\n", 0, []string{`line 2: the line is longer than 1 MiB`}},
		"no UTF-8":            {"content\ncaf\xe0\nHello\n", 1, []string{`line 2: this is not UTF-8 text`}},
		"a header not UTF-8":  {"caf\xe0\n", 0, []string{"line 1: unknown column \"caf\ufffd\""}},
		"an unknown key":      {"{\"content\":\"a\",\"video\":[{}],\"Sound\":1}\n{\"content\":\"a\"}", 1, []string{`line 1: unknown key "video", "Sound"; the keys are id, content, to, at, tz, media, alt, thread, first_comment`}},
		"a key twice":         {`{"content":"a","content":"b"}`, 0, []string{`line 1: the key "content" is a second "content"; keep one`}},
		"a key and its alias": {`{"text":"a","content":"b"}`, 0, []string{`line 1: the key "content" is a second "content"; keep one`}},
		"of another type":     {"{\"content\":1}\n{\"to\":\"blog\"}\n{\"to\":[1]}", 1, []string{`line 1: "content" must be a text, not a number`, `line 3: "to" must be a text, not a number`}},
		"a poll that is":      {"content,poll_multiple\nHi,maybe\n", 0, []string{`line 2: "poll_multiple" must be true or false, not "maybe"`}},
		"a part of numbers":   {"{\"content\":\"a\",\"thread\":[1]}\n{\"thread\":[{\"text\":\"a\"}]}\n{\"thread\":\"a\"}", 0, []string{`line 1: "thread" must be a text, not a number`, `line 2: unknown key "text"; the keys of thread are content, media and alt`, `line 3: "thread" must be a list of the parts`}},
		"a preview of":        {`{"content":"a","link_preview":{"uri":"x"}}`, 0, []string{`line 1: unknown key "uri"; the keys of link_preview are`}},
		"media of a post":     {`{"content":"a","media":[{}]}`, 0, []string{`line 1: "media" must be a text, not keys and values`}},
		"two objects":         {`{"content":"a"} {"content":"b"}`, 0, []string{`line 1: something follows the object`}},
		"half an object":      {"{\"content\":\"a\"\n}", 0, []string{`line 1: the line ends inside of the object`, `line 2: each line is an object`}},
		"no object":           {"[{\"content\":\"a\"}]", 0, []string{`line 1: each line is an object`}},
		"no JSON":             {"{content:1}", 0, []string{`line 1: this is no JSON: invalid character 'c'`}},
		"half a character":    {`{"content":"\ud83d"}`, 0, []string{`line 1: a text has half of a character`}},
		"JSON that's not UTF": {"{\"content\":\"\xe0\"}", 0, []string{`line 1: this is not UTF-8 text`}},
		"a long object":       {"{\"content\":\"" + long + "\"}\n{}", 0, []string{`line 1: the line is longer than 1 MiB`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, faults := read(t, tc.text, "")
			if len(rows) != tc.rows || len(faults) != len(tc.want) {
				t.Fatalf("%d rows, want %d; faults: %q", len(rows), tc.rows, faults)
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(faults[i], want) {
					t.Errorf("got %q, want %q", faults[i], want)
				}
			}
		})
	}
}

func TestReadErrorsArePassedOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, start := range []string{"", "content\n", "content\nHel", "content\n\"Hel", "content\n\"Hello\"", "content\nHel\"", "{", "{}\n"} {
		r := postfile.NewReader(io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken)), "")
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, broken) {
			t.Errorf("after %q: %v", start, err)
		}
	}
}

// A terminal gives an end and then, when it is asked again, more.
func TestTheFirstEndCounts(t *testing.T) {
	t.Parallel()
	ends := 0
	terminal := readerFunc(func(p []byte) (int, error) {
		if ends++; ends == 1 {
			return copy(p, "content\nHello\n"), nil
		}
		if ends > 2 {
			t.Error("asked again after the end")
		}
		return 0, io.EOF
	})
	r := postfile.NewReader(terminal, "")
	if row, err := r.Next(); err != nil || row.Post.Content != "Hello" {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestFormatOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]postfile.Format{
		"a.csv": postfile.CSV, "A.CSV": postfile.CSV, "a.tsv": postfile.CSV, "a.jsonl": postfile.JSONL, "b/a.ndjson": postfile.JSONL, "a.json": "", "csv": "", "-": "",
	} {
		if got := postfile.FormatOf(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// A file of any length is read row by row.
func TestManyRowsAreStreamed(t *testing.T) {
	t.Parallel()
	const rows = 100_000
	in, out := io.Pipe()
	go func() {
		fmt.Fprintln(out, "content,id")
		for i := range rows {
			fmt.Fprintf(out, "\"line\nof %d\",%d\n", i, i)
		}
		out.Close()
	}()
	r := postfile.NewReader(in, postfile.CSV)
	for i := range rows {
		row, err := r.Next()
		if want := 2 + 2*i; err != nil || row.First != want || row.ID != fmt.Sprint(i) {
			t.Fatalf("row %d: %+v, %v; want line %d", i, row, err, want)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}
