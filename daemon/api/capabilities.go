package api

import (
	"context"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// features are the capabilities that every daemon of this version has. The names
// are part of the API and never change their meaning.
var features = []string{
	"drafts", "scheduling", "publish_now", "cancel", "retry", "validation", "timeline", "target_overrides",
	"duplicate_guard", "idempotency", "if_match", "webhooks", "events", "api_keys", "draft_keys", "account_keys",
	"workspaces", "audit", "unschedule", "external_ids", "collections", "labels",
	"accounts", "account_groups", "snippets", "forecast", "results", "approvals", "notes", "series", "queues", "blackouts", "label_holds",
	"calendar_feeds", "shares", "sources", "notifications", "webhook_replay", "archive", "resend", "search", "nodes", "docs",
	"threads", "first_comments", "polls", "link_cards", "content_warnings", "visibility", "languages", "titles", "post_styles",
}

// Features that depend on how the daemon runs.
const (
	featureBackup    = "backup"
	featureRateLimit = "rate_limit"
	featureMedia     = "media"
	featureAgents    = "agents"
	featureFeeds     = "feeds"
	featureMetrics   = "metrics"
)

// getCapabilities handles GET /capabilities.
func (s *Server) getCapabilities(ctx context.Context, c *request) (response, error) {
	workspace, err := s.workspace(ctx, c)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.Capabilities{
		Workspace: apiv1.NewWorkspace(workspace), APIKey: apiv1.NewAPIKey(c.Key),
		Features: s.features(), Limits: s.serviceLimits(), Platforms: s.platforms(),
	})
}

func (s *Server) features() map[string]bool {
	out := map[string]bool{}
	for _, name := range features {
		out[name] = true
	}
	if _, copies := s.store.(storage.Copier); copies {
		out[featureBackup] = true
	}
	for feature, on := range map[string]bool{
		featureRateLimit: s.limits.keys != nil, featureMedia: s.media != nil, featureAgents: s.agents, featureFeeds: s.feeds, featureMetrics: s.metrics,
	} {
		if on {
			out[feature] = true
		}
	}
	return out
}

func (s *Server) serviceLimits() apiv1.ServiceLimits {
	l := apiv1.ServiceLimits{
		ContentCharacters: schedctl.MaxContent, AccountsPerPost: schedctl.MaxAccounts, BodyBytes: maxBody,
		PageSize: maxLimit, Webhooks: schedctl.MaxWebhooks, IdempotencySeconds: int(idempotencyTTL / time.Second),
	}
	if s.limits.keys != nil {
		l.RequestsPerSecond = new(s.limits.perSecond)
	}
	if s.media != nil {
		m := s.media.Limits()
		l.Media = &apiv1.MediaLimits{
			PerPost: m.PerPost, ImageBytes: m.Image, GIFBytes: m.GIF, VideoBytes: m.Video, DocumentBytes: m.Document,
			QuotaBytes: m.Quota, KeepSeconds: int(m.Keep / time.Second),
		}
	}
	return l
}

// platforms describes the credentials and options of each platform, sorted by name.
func (s *Server) platforms() map[string]apiv1.PlatformEntry {
	out := map[string]apiv1.PlatformEntry{}
	for name, p := range s.publishers {
		out[name] = platformEntry(p)
	}
	return out
}

func platformEntry(p publish.Publisher) apiv1.PlatformEntry {
	e := apiv1.PlatformEntry{Name: p.Platform(), Credentials: []apiv1.PlatformField{}, Options: []apiv1.PlatformField{}}
	own := map[string]bool{}
	for _, f := range p.Fields() {
		own[f.Name] = true
		field := apiv1.PlatformField{Name: f.Name, About: f.Help, Required: f.Required, Secret: f.Secret, PerPost: f.Post}
		if f.Option {
			e.Options = append(e.Options, field)
		} else {
			e.Credentials = append(e.Credentials, field)
		}
	}
	for _, o := range publish.CommonOptions(p) {
		if !own[o.Name] {
			e.Options = append(e.Options, apiv1.PlatformField{Name: o.Name, About: o.About})
		}
	}
	if reader, ok := p.(publish.ResultsReader); ok {
		e.Results = platformResults(reader.ResultsRules(schedctl.Account{Platform: p.Platform()}))
	}
	return e
}

func platformResults(rules publish.ResultsRules) *apiv1.PlatformResults {
	found := &apiv1.PlatformResults{Metrics: append([]string{}, rules.Metrics...), Batch: max(1, rules.Batch)}
	for _, age := range rules.Ages() {
		found.Points = append(found.Points, int64(age/time.Second))
	}
	if days := int(rules.Window / (24 * time.Hour)); days > 0 {
		found.WindowDays = &days
	}
	if rules.Scope != "" {
		found.Scope = &rules.Scope
	}
	if rules.Price > 0 {
		found.CostUSD = new(float64(rules.Price) / 1e6)
	}
	return found
}
