package api

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

const schemaRef = "#/components/schemas/"

// requests are the schemas of bodies; in these, unknown fields are refused.
var requests = []string{"AddAccount", "CancelPost", "CreateAPIKey", "CreateNotification", "CreatePost", "CreateWebhook", "CreateWorkspace", "EditAccount", "EditNotification", "EditPost", "EditWebhook", "EmailSettings", "Managed", "Override", "PublishPost", "ReplayWebhook", "RetryPost", "SchedulePost", "ValidatePost"}

// requiredOfRequests are the required fields of schemas that requests and responses
// share. A response has all fields.
var requiredOfRequests = map[string][]string{
	"Managed":  {"collection", "path", "digest"},
	"Override": {"social_account_id"},
}

// enums are the texts that a field of a type can have.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[schedctl.Code]():   values(schedctl.Codes()),
	reflect.TypeFor[schedctl.Status](): values(schedctl.Statuses()),
	reflect.TypeFor[schedctl.Scope]():  values(schedctl.Scopes()),
	reflect.TypeFor[schedctl.AccountStatus](): values([]schedctl.AccountStatus{
		schedctl.AccountConnected, schedctl.AccountDisconnected, schedctl.AccountError,
	}),
	reflect.TypeFor[schedctl.EventType]():      values(schedctl.EventTypes()),
	reflect.TypeFor[schedctl.DeliveryStatus](): values(schedctl.DeliveryStatuses()),
	reflect.TypeFor[schedctl.ErrorKind]():      values(schedctl.ErrorKinds()),
	reflect.TypeFor[schedctl.Outcome]():        values([]schedctl.Outcome{schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown, schedctl.OutcomePublished}),
	reflect.TypeFor[schedctl.MailTLS]():        values(schedctl.MailTLSModes()),
	reflect.TypeFor[storage.Sort]():            values(listSorts),
}

// always are the fields whose type allows null and whose value never is.
var always = []string{
	"Post.created_at", "Post.updated_at", "Account.created_at", "Account.updated_at", "TimelineEvent.created_at", "Attempt.started_at",
	"APIKey.created_at", "AuditEntry.created_at",
	"Node.started_at", "Node.heartbeat_at", "Webhook.created_at", "Webhook.updated_at", "Delivery.created_at", "Event.created_at",
	"Notification.created_at", "Notification.updated_at",
}

// completeSchemas adds to the schemas what their types do not say.
func completeSchemas(registry huma.Registry) {
	for _, name := range slices.Sorted(maps.Keys(registry.Map())) {
		completeSchema(name, registry.Map()[name], registry.TypeFromRef(schemaRef+name))
	}
}

// completeSchema adds to the schema of this name what its type t does not say.
func completeSchema(name string, schema *huma.Schema, t reflect.Type) {
	schema.Description = descriptions[name]
	if !slices.Contains(requests, name) {
		schema.AdditionalProperties = nil // a later version may say more
	}
	if required, ok := requiredOfRequests[name]; ok {
		schema.Required = required
	}
	for _, field := range reflect.VisibleFields(t) {
		if seen, _ := t.FieldByName(field.Name); field.Anonymous || !slices.Equal(seen.Index, field.Index) {
			continue // another one is in its place
		}
		property, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		completed := completeProperty(meaning(name, t, field)+"."+property, schema.Properties[property], field.Type)
		if limit, ok := limits[name+"."+property]; ok {
			limit(completed)
		}
		schema.Properties[property] = completed
	}
}

// meaning returns the schema that says what a field means: that of the embedded
// type that has it, or its own.
func meaning(name string, t reflect.Type, field reflect.StructField) string {
	if len(field.Index) > 1 {
		return t.Field(field.Index[0]).Name
	}
	return name
}

// completeProperty returns the schema of the field at path, of type t.
func completeProperty(path string, s *huma.Schema, t reflect.Type) *huma.Schema {
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[apiv1.Time]():
		if schema, _, _ := strings.Cut(path, "."); slices.Contains(requests, schema) {
			break // a format added to a request would break clients generated without it
		}
		s.Format, s.Examples = "date-time", []any{"2026-06-02T15:00:00Z"}
	case t.Kind() == reflect.Slice:
		s.Nullable = path == "Error.details"
		s.Items.Enum = enums[t.Elem()]
	case s.Ref != "" && pointer:
		s = &huma.Schema{AnyOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}}
	default:
		s.Enum = enums[t]
	}
	if slices.Contains(always, path) {
		s.Nullable = false
	}
	s.Description = descriptions[path]
	return s
}

// limits are rules that a schema can tell.
var limits = map[string]func(*huma.Schema){
	"CreatePost.content":              contentLimits,
	"EditPost.content":                contentLimits,
	"Override.options":                nullable,
	"CreatePost.target_overrides":     overrideLimits,
	"EditPost.target_overrides":       overrideLimits,
	"Attempt.outcome":                 attemptOutcomes,
	"CreatePost.social_account_ids":   idLimits,
	"EditPost.social_account_ids":     idLimits,
	"SchedulePost.social_account_ids": idLimits,
	"PublishPost.social_account_ids":  idLimits,
	"CreatePost.publish_at":           nullable,
	"ValidatePost.publish_at":         nullable,
	"EditPost.publish_at":             nullable,
	"CreatePost.external_id":          externalIDLimits,
	"EditPost.external_id":            externalIDLimits,
	"ValidatePost.external_id":        externalIDLimits,
	"CreatePost.labels":               labelLimits,
	"EditPost.labels":                 labelLimits,
	"ValidatePost.labels":             labelLimits,
	"CreatePost.replaces":             nullable,
	"ValidatePost.replaces":           nullable,
	"Managed.collection":              collectionLimits,
	"Managed.path":                    func(s *huma.Schema) { s.MinLength, s.MaxLength = ptr(1), ptr(schedctl.MaxManagedPath) },
	"Managed.digest":                  digestLimits,
	"RetryPost.target_ids":            targetLimits,
	"AddAccount.name":                 nameLimits,
	"EditAccount.name":                nameLimits,
	"CreateAPIKey.name":               nameLimits,
	"CreateAPIKey.scopes":             scopeLimits,
	"CreateAPIKey.expires_at":         nullable,
	"CreateAPIKey.social_account_ids": keyAccountLimits,
	"CreateWorkspace.name":            nameLimits,
	"CreateWebhook.url":               endpointLimits,
	"CreateWebhook.event_types":       eventTypeLimits,
	"CreateWebhook.name":              webhookNameLimits,
	"CreateWebhook.secret":            webhookSecretLimits,
	"EditWebhook.url":                 endpointLimits,
	"EditWebhook.event_types":         eventTypeLimits,
	"EditWebhook.name":                webhookNameLimits,
	"CreateNotification.event_types":  notificationEventLimits,
	"CreateNotification.name":         webhookNameLimits,
	"EditNotification.event_types":    notificationEventLimits,
	"EditNotification.name":           webhookNameLimits,
	"EmailSettings.host":              mailHostLimits,
	"EmailSettings.port":              portLimits,
	"EmailSettings.username":          mailTextLimits,
	"EmailSettings.password":          mailTextLimits,
	"EmailSettings.from":              addressLimits,
	"EmailSettings.to":                recipientLimits,
	"ReplayWebhook.since":             timeLimits,
	"Delivery.event_type":             testedEventTypes,
	"Event.type":                      testedEventTypes,
}

func externalIDLimits(s *huma.Schema) {
	s.MinLength, s.MaxLength, s.Pattern, s.Nullable = ptr(1), ptr(schedctl.MaxExternalID), "^[!-~]+$", true
}
func labelLimits(s *huma.Schema) {
	s.MaxItems = ptr(schedctl.MaxLabels)
	s.Items.MinLength, s.Items.MaxLength = ptr(1), ptr(schedctl.MaxLabel)
}
func collectionLimits(s *huma.Schema) { s.Pattern = "^[A-Za-z0-9._-]{1,80}$" }
func digestLimits(s *huma.Schema) {
	s.MinLength, s.MaxLength, s.Pattern = ptr(1), ptr(schedctl.MaxDigest), "^[!-~]+$"
}
func contentLimits(s *huma.Schema)  { s.MinLength, s.MaxLength = ptr(1), ptr(schedctl.MaxContent) }
func idLimits(s *huma.Schema)       { s.MaxItems, s.UniqueItems = ptr(schedctl.MaxAccounts), true }
func nameLimits(s *huma.Schema)     { s.MinLength, s.MaxLength = ptr(1), ptr(schedctl.MaxAccountName) }
func overrideLimits(s *huma.Schema) { s.MaxItems = ptr(schedctl.MaxAccounts) }
func attemptOutcomes(s *huma.Schema) {
	s.Enum = values([]schedctl.Outcome{
		schedctl.OutcomeRunning, schedctl.OutcomePublished, schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown,
	})
}
func scopeLimits(s *huma.Schema) { s.MinItems, s.UniqueItems = ptr(1), true }
func keyAccountLimits(s *huma.Schema) {
	s.MinItems, s.MaxItems, s.UniqueItems = ptr(1), ptr(schedctl.MaxAccounts), true
}
func endpointLimits(s *huma.Schema) {
	s.MinLength, s.MaxLength, s.Format = ptr(1), ptr(maxEndpoint), "uri"
}
func eventTypeLimits(s *huma.Schema) { s.MinItems, s.UniqueItems = ptr(1), true }
func webhookNameLimits(s *huma.Schema) {
	s.MinLength, s.MaxLength, s.Nullable = ptr(1), ptr(schedctl.MaxWebhookName), true
}
func webhookSecretLimits(s *huma.Schema) { s.Pattern = "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$" }
func notificationEventLimits(s *huma.Schema) {
	eventTypeLimits(s)
	s.Items.Enum = values(schedctl.NotificationEvents())
}
func mailHostLimits(s *huma.Schema)  { s.MinLength, s.MaxLength = ptr(1), ptr(254) }
func portLimits(s *huma.Schema)      { s.Minimum, s.Maximum = ptr(1.0), ptr(65535.0) }
func mailTextLimits(s *huma.Schema)  { s.MaxLength, s.Nullable = ptr(maxMailText), true }
func addressLimits(s *huma.Schema)   { s.MaxLength = ptr(maxAddressBytes) }
func recipientLimits(s *huma.Schema) { s.MinItems, s.MaxItems = ptr(1), ptr(schedctl.MaxRecipients) }
func testedEventTypes(s *huma.Schema) {
	s.Enum = append(values(schedctl.EventTypes()), string(schedctl.EventWebhookTest))
}
func timeLimits(s *huma.Schema)   { s.Format = "date-time" }
func targetLimits(s *huma.Schema) { s.MinItems, s.MaxItems = ptr(1), ptr(schedctl.MaxAccounts) }
func nullable(s *huma.Schema)     { s.Nullable = true }
