package meta_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// insights starts an API that has the given metrics, with the number 7, and returns a reading
// of its post 1 with all requests.
func insights(t *testing.T, dropped []string, respond func(wanted []string) (int, string)) (meta.Results, *[]string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wanted := r.URL.Query().Get("metric")
		asked = append(asked, wanted)
		status, body := respond(strings.Split(wanted, ","))
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	base, _ := url.Parse(server.URL)
	api := meta.API{Client: server.Client(), Platform: "Threads", Base: base, Token: "token"}
	return meta.NewResults(api, "v1", publish.ResultsRequest{Dropped: dropped}, &publish.ResultsReading{}), &asked
}

// TestRefusedMetric guards that a metric that Meta no longer has does not take the others
// with it, and that its loss is reported.
func TestRefusedMetric(t *testing.T) {
	t.Parallel()
	names := []string{"views", "likes", "plays"}
	for _, tt := range []struct {
		name, message string
		dropped       []string // before
		asked         []string
		want          []string // metrics with a value
		lost          []string
	}{
		{"in a list", "(#100) metric[2] must be one of the following values: views, likes, replies", nil, []string{"views,likes,plays", "views,likes"}, []string{"likes", "views"}, []string{"plays"}},
		{"by name", "Starting from version 22 and above, the plays metric is no longer supported for the queried media.", nil, []string{"views,likes,plays", "views,likes"}, []string{"likes", "views"}, []string{"plays"}},
		{"for this kind", "(#100) The metric plays is not supported for this media type", nil, []string{"views,likes,plays", "views,likes"}, []string{"likes", "views"}, nil},
		{"without a name", "(#100) The value must be a valid insights metric", nil, []string{"views,likes,plays", "views"}, []string{"views"}, []string{"likes", "plays"}},
		{"known to be lost", "", []string{"plays"}, []string{"views,likes"}, []string{"likes", "views"}, nil},
		{"all", "", names, nil, nil, nil},
	} {
		results, asked := insights(t, tt.dropped, func(wanted []string) (int, string) {
			if slices.Contains(wanted, "plays") || tt.name == "without a name" && len(wanted) > 1 {
				return 400, publishtest.MetaError(100, 0, tt.message)
			}
			var data []any
			for _, name := range wanted {
				data = append(data, map[string]any{"name": name, "period": "lifetime", "values": []any{map[string]any{"value": 7}}})
			}
			body, _ := json.Marshal(map[string]any{"data": data})
			return 200, string(body)
		})
		values, missing, err := results.Insights(t.Context(), "1", "insights", names)
		var got []string
		for name := range values {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) || !slices.Equal(*asked, tt.asked) || !slices.Equal(results.Reading.Dropped, tt.lost) || missing || err != nil || results.Reading.Requests != len(tt.asked) {
			t.Errorf("%s: got %v, asked %q, lost %q, error %v", tt.name, got, *asked, results.Reading.Dropped, err)
		}
	}
}

// TestRefusedTwice guards that a refused request is repeated only once.
func TestRefusedTwice(t *testing.T) {
	t.Parallel()
	results, asked := insights(t, nil, func(wanted []string) (int, string) {
		return 400, publishtest.MetaError(100, 0, "the "+wanted[0]+" metric is no longer supported")
	})
	values, _, err := results.Insights(t.Context(), "1", "insights", []string{"a", "b", "c"})
	if len(values) > 0 || err != nil || len(*asked) != 2 || !slices.Equal(results.Reading.Dropped, []string{"a", "b"}) {
		t.Errorf("%v, %v, asked %q, lost %q", values, err, *asked, results.Reading.Dropped)
	}
}

// TestRefusedPost guards that an error about one post, which names no metric, costs no metric
// of the other posts.
func TestRefusedPost(t *testing.T) {
	t.Parallel()
	results, asked := insights(t, nil, func([]string) (int, string) {
		return 400, publishtest.MetaError(100, 0, "(#100) This post cannot be counted")
	})
	values, _, err := results.Insights(t.Context(), "1", "insights", []string{"a", "b", "c"})
	if len(values) > 0 || err != nil || len(*asked) != 2 || len(results.Reading.Dropped) > 0 {
		t.Errorf("%v, %v, asked %q, lost %q", values, err, *asked, results.Reading.Dropped)
	}
}

// TestFewViewers guards that a post that few people have seen is not taken for a missing
// permission, which has the same code.
func TestFewViewers(t *testing.T) {
	t.Parallel()
	results, _ := insights(t, nil, func([]string) (int, string) {
		return 400, publishtest.MetaError(10, 0, "(#10) Not enough viewers for the media to show insights")
	})
	if values, missing, err := results.Insights(t.Context(), "1", "insights", []string{"views"}); len(values) > 0 || missing || err != nil {
		t.Errorf("%v, %v, %v", values, missing, err)
	}
}

func TestLowLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, header, value string
		want                time.Duration
	}{
		{"app", "X-App-Usage", `{"call_count":81,"total_time":5,"total_cputime":1}`, time.Hour},
		{"app, enough", "X-App-Usage", `{"call_count":80,"total_time":5,"total_cputime":1}`, 0},
		{"account", "X-Business-Use-Case-Usage", `{"1":[{"type":"instagram","call_count":1,"total_cputime":"95","total_time":1,"estimated_time_to_regain_access":0}]}`, time.Hour},
		{"account, with a time", "X-Business-Use-Case-Usage", `{"1":[{"call_count":100,"estimated_time_to_regain_access":7}]}`, 7 * time.Minute},
		{"nonsense", "X-App-Usage", `{"call_count":"NaN","total_time":[]}`, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(tt.header, tt.value)
			w.Write([]byte(`{"data":[]}`))
		}))
		base, _ := url.Parse(server.URL)
		api := meta.API{Client: server.Client(), Platform: "Threads", Base: base, Token: "token"}
		results := meta.NewResults(api, "v1", publish.ResultsRequest{}, &publish.ResultsReading{})
		_, _, err := results.Insights(t.Context(), "1", "insights", []string{"views"})
		server.Close()
		got := time.Until(results.Reading.NotBefore)
		if diff := (got - tt.want).Abs(); err != nil || tt.want == 0 != results.Reading.NotBefore.IsZero() || tt.want != 0 && diff > time.Minute {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

// TestInsightValues checks the forms in which Meta sends totals.
func TestInsightValues(t *testing.T) {
	t.Parallel()
	results, _ := insights(t, nil, func([]string) (int, string) {
		return 200, `{"data":[{"name":"a","period":"lifetime","values":[{"value":1}]},{"name":"b","total_value":{"value":2}},
			{"name":"c","period":"day","values":[{"value":3}]},{"name":"d","values":[{"value":4},{"value":5}]},{"name":"e","values":[]}]}`
	})
	values, _, err := results.Insights(t.Context(), "1", "insights", []string{"a"})
	if diff := cmp.Diff(map[string]any{"a": 1.0, "b": 2.0}, values); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
