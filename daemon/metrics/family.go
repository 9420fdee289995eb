package metrics

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/VictoriaMetrics/metrics"
)

// family is a metric with up to three labels. made has a series for each combination of
// their values that was used.
type family[T any] struct {
	name   string
	labels []string
	create func(series string) T

	mu   sync.RWMutex // mu guards made
	made map[[3]string]T
}

// counters adds a counter with labels to a set.
func counters(set *metrics.Set, name string, labels ...string) *family[*metrics.Counter] {
	return &family[*metrics.Counter]{name: name, labels: labels, create: set.GetOrCreateCounter, made: map[[3]string]*metrics.Counter{}}
}

// histograms adds a histogram with labels to a set. bounds are the upper ones of buckets.
func histograms(set *metrics.Set, name string, bounds []float64, labels ...string) *family[*metrics.PrometheusHistogram] {
	create := func(series string) *metrics.PrometheusHistogram {
		return set.GetOrCreatePrometheusHistogramExt(series, bounds)
	}
	return &family[*metrics.PrometheusHistogram]{name: name, labels: labels, create: create, made: map[[3]string]*metrics.PrometheusHistogram{}}
}

// with returns the series with these values of the labels.
func (f *family[T]) with(values ...string) T {
	var key [3]string
	copy(key[:], values)
	f.mu.RLock()
	series, found := f.made[key]
	f.mu.RUnlock()
	if found {
		return series
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if series, found = f.made[key]; !found {
		series = f.create(seriesName(f.name, f.labels, values))
		f.made[key] = series
	}
	return series
}

// noneLabel is the value of empty labels, because Prometheus treats an empty label as a
// missing one.
const noneLabel = "none"

// seriesName returns the name of a series in the text format of Prometheus. Values that are
// not valid UTF-8, which a damaged record can have, are made valid.
func seriesName(name string, labels, values []string) string {
	if len(labels) == 0 {
		return name
	}
	var b strings.Builder
	b.WriteString(name)
	for i, label := range labels {
		value := values[i]
		if value == "" {
			value = noneLabel
		}
		b.WriteString(separator(i))
		b.WriteString(label + `="` + escapes.Replace(strings.ToValidUTF8(value, "\ufffd")) + `"`)
	}
	b.WriteByte('}')
	return b.String()
}

func separator(i int) string {
	if i == 0 {
		return "{"
	}
	return ","
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// gauge is a metric that is written at each scrape.
type gauge struct {
	name   string
	labels []string
}

// write writes a value. The first value of a metric comes with its type.
func (g gauge) write(w io.Writer, value float64, labels ...string) {
	fmt.Fprintf(w, "%s %v\n", seriesName(g.name, g.labels, labels), value)
}

// writeType writes the lines before the values of a gauge.
func (g gauge) writeType(w io.Writer) { fmt.Fprintf(w, "# HELP %s\n# TYPE %[1]s gauge\n", g.name) }

// withHelp adds the texts of help to the lines that lack them.
func withHelp(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		name, found := strings.CutPrefix(string(line), "# HELP ")
		if name = strings.TrimSuffix(name, "\n"); !found {
			out.Write(line)
			continue
		}
		text := help[name]
		switch {
		case text != "":
		case strings.HasPrefix(name, "go_"):
			text = "A measurement of the Go runtime."
		default:
			text = "A measurement of the process by the operating system."
		}
		fmt.Fprintf(&out, "# HELP %s %s\n", name, text)
	}
	return out.Bytes()
}
