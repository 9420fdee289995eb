package usecase

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// maxResultsGroups is how many groups a summary has at most: those with the most posts.
const maxResultsGroups = 200

// SummarizeResults returns the published targets that a filter selects in groups, without those
// that were removed. Errors: VALIDATION_FAILED if the window is too large.
func (s *Service) SummarizeResults(ctx context.Context, r storage.Reader, c *Request, by apiv1.ResultsBy, f ResultsFilter) (apiv1.ResultsSummary, error) {
	ws, err := r.Workspace(c.Key.WorkspaceID)
	if err != nil {
		return apiv1.ResultsSummary{}, err
	}
	f.Removed = new(false)
	w, err := newResultsWalk(ctx, r, c, &f)
	if err != nil {
		return apiv1.ResultsSummary{}, err
	}
	sum := resultsSummary{walk: w, by: by, zone: zoneOf(ws.Timezone), groups: map[string]*resultsGroup{}}
	if err := w.each(sum.add); err != nil {
		return apiv1.ResultsSummary{}, err
	}
	return sum.wire(), nil
}

// resultsSummary collects groups of targets.
type resultsSummary struct {
	walk   *resultsWalk
	by     apiv1.ResultsBy
	zone   *time.Location
	groups map[string]*resultsGroup // by key; "" for the targets that have none
}

// resultsGroup has the numbers of the targets of a group, of those that are known.
type resultsGroup struct {
	posts           map[string]bool
	targets         int
	engagements     []float64
	views, rates    []float64
	viewed, engaged int64           // of the targets that give both
	platforms       map[string]bool // that give views
}

func (s *resultsSummary) add(of *resultsOf) error {
	if has, err := s.walk.read(of); err != nil || !has {
		return err
	}
	keys, err := s.keys(of)
	if err != nil {
		return err
	}
	m := of.results.Known()
	for _, key := range keys {
		g := s.groups[key]
		if g == nil {
			g = &resultsGroup{posts: map[string]bool{}, platforms: map[string]bool{}}
			s.groups[key] = g
		}
		g.add(of, &m)
	}
	return nil
}

func (g *resultsGroup) add(of *resultsOf, m *schedctl.Metrics) {
	g.posts[of.post.ID] = true
	g.targets++
	e := m.Engagements()
	if e != nil {
		g.engagements = append(g.engagements, float64(*e))
	}
	if m.Views == nil {
		return
	}
	g.views = append(g.views, float64(*m.Views))
	g.platforms[of.target.Platform] = true
	if rate := m.EngagementRate(); rate != nil {
		g.rates = append(g.rates, *rate)
		g.viewed, g.engaged = g.viewed+*m.Views, g.engaged+*e
	}
}

// keys returns the groups of a target.
func (s *resultsSummary) keys(of *resultsOf) ([]string, error) {
	at := of.published.At.In(s.zone)
	switch s.by {
	case apiv1.ResultsByAccount:
		return []string{of.target.AccountID}, nil
	case apiv1.ResultsByPlatform:
		return []string{of.target.Platform}, nil
	case apiv1.ResultsByLabel:
		if len(of.post.Labels) == 0 {
			return []string{""}, nil
		}
		return of.post.Labels, nil
	case apiv1.ResultsBySeries:
		return []string{of.post.SeriesID}, nil
	case apiv1.ResultsByQueue:
		return []string{of.post.QueueID}, nil
	case apiv1.ResultsByWeekday:
		return []string{strings.ToLower(at.Weekday().String())}, nil
	case apiv1.ResultsByHour:
		return []string{fmt.Sprintf("%02d", at.Hour())}, nil
	}
	kind, err := s.walk.media(of)
	return []string{kind}, err
}

// media returns what files a target has: none, those of one class, or mixed ones.
func (w *resultsWalk) media(of *resultsOf) (string, error) {
	files := of.post.MediaFor(of.target)
	if len(files) == 0 {
		return "none", nil
	}
	class, err := classOf(w.r, of.post.WorkspaceID, files)
	switch class {
	case "":
		return "mixed", err
	case schedctl.MediaImage:
		return "picture", err
	}
	return string(class), err
}

// wire returns the groups in the form of the API.
func (s *resultsSummary) wire() apiv1.ResultsSummary {
	found := apiv1.ResultsSummary{Groups: []apiv1.ResultsGroup{}}
	for key, g := range s.groups {
		found.Groups = append(found.Groups, g.wire(key))
	}
	slices.SortFunc(found.Groups, func(a, b apiv1.ResultsGroup) int { return cmp.Or(b.Posts-a.Posts, cmp.Compare(keyOf(&a), keyOf(&b))) })
	if found.Truncated = len(found.Groups) > maxResultsGroups; found.Truncated {
		found.Groups = found.Groups[:maxResultsGroups]
	}
	slices.SortFunc(found.Groups, s.compare)
	return found
}

// compare sorts hours and days by time, and other groups by their engagements.
func (s *resultsSummary) compare(a, b apiv1.ResultsGroup) int {
	switch s.by {
	case apiv1.ResultsByHour:
		return cmp.Compare(keyOf(&a), keyOf(&b))
	case apiv1.ResultsByWeekday:
		return slices.Index(apiv1.Weekdays(), keyOf(&a)) - slices.Index(apiv1.Weekdays(), keyOf(&b))
	}
	median := func(g *apiv1.ResultsGroup) float64 {
		if g.Engagements.Median == nil {
			return math.Inf(-1)
		}
		return *g.Engagements.Median
	}
	return cmp.Or(cmp.Compare(median(&b), median(&a)), b.Posts-a.Posts, cmp.Compare(keyOf(&a), keyOf(&b)))
}

func keyOf(g *apiv1.ResultsGroup) string {
	if g.Key == nil {
		return ""
	}
	return *g.Key
}

// fewPosts is how many posts a group needs for its median to mean something.
const fewPosts = 5

func (g *resultsGroup) wire(key string) apiv1.ResultsGroup {
	w := apiv1.ResultsGroup{
		Key: orNil(key), Posts: len(g.posts), Targets: g.targets, Few: len(g.posts) < fewPosts,
		Engagements: measure(g.engagements), Views: measure(g.views), Rate: measure(g.rates),
	}
	w.Rate.Sum = schedctl.Rate(&g.engaged, &g.viewed)
	if len(g.platforms) > 1 { // what counts as a view differs
		w.Views.Sum, w.Views.Median, w.Rate.Sum, w.Rate.Median = nil, nil, nil, nil
	}
	return w
}

// measure returns the sum and the median of numbers.
func measure(list []float64) apiv1.ResultsMeasure {
	m := apiv1.ResultsMeasure{Known: len(list)}
	if len(list) == 0 {
		return m
	}
	slices.Sort(list)
	sum := 0.0
	for _, n := range list {
		sum += n
	}
	median := list[len(list)/2]
	if len(list)%2 == 0 {
		median = (list[len(list)/2-1] + median) / 2
	}
	m.Sum, m.Median = &sum, new(math.Round(median*1e4)/1e4)
	return m
}
