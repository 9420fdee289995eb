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

// requests are the schemas of request bodies, which refuse unknown fields.
var requests = []string{"AddAccount", "AddNote", "ApprovePost", "ApproveSeries", "CancelPost", "CreateAPIKey", "CreateBlackout", "CreateCalendarFeed", "CreateNotification", "CreatePost", "CreateQueue", "CreateSeries", "CreateShare", "CreateSource", "CreateUpload", "CreateUploadLink", "CreateWebhook", "CreateWorkspace", "EditAccount", "EditBlackout", "EditMedia", "EditNotification", "EditPost", "EditQueue", "EditSeries", "EditSource", "EditWebhook", "EditWorkspace", "EmailSettings", "LinkCard", "Managed", "MediaFromURL", "OrderQueue", "Override", "Part", "Poll", "PostMedia", "PreviewSeries", "PublishPost", "QueueTime", "ReflowQueue", "RefreshResults", "ReleaseSource", "ReplayWebhook", "ReportResults", "ReportedCounts", "RequestChanges", "ResendPost", "RetryPost", "SchedulePost", "SendSourceItem", "SetAccountGroup", "SetSnippet", "ShareFilter", "SkipOccurrence", "SourceAuth", "SourceHeader", "SourceItemImage", "SubmitNew", "SubmitPost", "SubmitSeries", "ValidatePost"}

// enums are the allowed values of these types.
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
	reflect.TypeFor[schedctl.MediaStatus]():    values(schedctl.MediaStatuses()),
	reflect.TypeFor[schedctl.PartKind]():       values(schedctl.PartKinds()),
}

// fieldEnums are the allowed values of fields that differ from those of their type.
var fieldEnums = map[string][]any{
	"Attempt.outcome": values([]schedctl.Outcome{
		schedctl.OutcomeRunning, schedctl.OutcomePublished, schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown,
	}),
	"Delivery.event_type":            append(values(schedctl.EventTypes()), string(schedctl.EventWebhookTest)),
	"Event.type":                     append(values(schedctl.EventTypes()), string(schedctl.EventWebhookTest)),
	"CreateNotification.event_types": values(schedctl.NotificationEvents()),
	"EditNotification.event_types":   values(schedctl.NotificationEvents()),
}

// unlimited are the fields of ValidatePost without the limits of CreatePost:
// validation reports values that exceed them.
var unlimited = []string{"content", "social_account_ids", "target_overrides"}

// completeSchemas adds to the schemas what types and tags of package apiv1 cannot
// express.
func completeSchemas(registry huma.Registry) {
	for _, name := range slices.Sorted(maps.Keys(registry.Map())) {
		completeSchema(name, registry.Map()[name], registry.TypeFromRef(schemaRef+name))
	}
	maps.Copy(registry.Map(), plannedSchemas())
}

// completeSchema completes the schema of type t.
func completeSchema(name string, schema *huma.Schema, t reflect.Type) {
	schema.Description = schemaDescriptions[name]
	if t == reflect.TypeFor[apiv1.LinkPreview]() {
		*schema = huma.Schema{Description: schema.Description, AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Enum: []any{apiv1.PreviewAuto, apiv1.PreviewNone}}, {Ref: schemaRef + "LinkCard"},
		}}
		return
	}
	if !slices.Contains(requests, name) {
		schema.AdditionalProperties = nil // later versions may add fields
	}
	for _, field := range reflect.VisibleFields(t) {
		if seen, _ := t.FieldByName(field.Name); field.Anonymous || !slices.Equal(seen.Index, field.Index) {
			continue // an outer field has the same name
		}
		property, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		completed := completeProperty(name, schema.Properties[property], field)
		if enum, ok := fieldEnums[name+"."+property]; ok {
			setEnum(completed, enum)
		}
		if name == "ValidatePost" && slices.Contains(unlimited, property) {
			completed.MinLength, completed.MaxLength, completed.MaxItems, completed.UniqueItems = nil, nil, nil, false
		}
		schema.Properties[property] = completed
	}
}

// The schemas of times that requests plan, which are not named after types.
const (
	publishTime = "PublishTime"
	timeOrSlot  = "TimeOrSlot"
)

// plannedSchemas returns the schemas of times that requests plan, by name.
func plannedSchemas() map[string]*huma.Schema {
	either := func(name string, words ...any) *huma.Schema {
		return &huma.Schema{Description: schemaDescriptions[name], AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-06-02T15:00:00Z"}}, {Type: huma.TypeString, Enum: words},
		}}
	}
	return map[string]*huma.Schema{
		publishTime: either(publishTime, apiv1.PublishNow, apiv1.PublishNextSlot),
		timeOrSlot:  either(timeOrSlot, apiv1.PublishNextSlot),
	}
}

// plannedTime returns the name of the schema in [plannedSchemas] for a field of type t of a
// request, and "" for other types.
func plannedTime(owner string, t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[apiv1.PublishTime]() && !notNow(owner):
		return publishTime
	case t == reflect.TypeFor[apiv1.PublishTime](), t == reflect.TypeFor[apiv1.ProposedTime]():
		return timeOrSlot
	}
	return ""
}

// completeProperty returns the completed schema of a field.
func completeProperty(schema string, s *huma.Schema, field reflect.StructField) *huma.Schema {
	t := field.Type
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[apiv1.Time]():
		s.Format, s.Examples = "date-time", []any{"2026-06-02T15:00:00Z"}
	case slices.Contains(requests, schema) && plannedTime(schema, t) != "":
		planned := schemaRef + plannedTime(schema, t)
		if !pointer {
			return &huma.Schema{Ref: planned, Description: s.Description}
		}
		return &huma.Schema{AnyOf: []*huma.Schema{{Ref: planned}, {Type: "null"}}, Description: s.Description}
	case t.Kind() == reflect.Slice:
		s.Nullable = field.Tag.Get("nullable") == "true"
		setEnum(s, enums[t.Elem()])
	case s.Ref != "" && pointer && field.Tag.Get("nullable") != "false":
		return &huma.Schema{AnyOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}, Description: s.Description}
	default:
		setEnum(s, enums[t])
	}
	return s
}

// setEnum sets the values of a field, or of its items when it is a list. Without values,
// those of the tag stay.
func setEnum(s *huma.Schema, enum []any) {
	if s.Items != nil {
		s = s.Items
	}
	if enum != nil {
		s.Enum = enum
	}
	if s.Nullable && s.Enum != nil && !slices.Contains(s.Enum, nil) {
		s.Enum = append(slices.Clip(s.Enum), nil)
	}
}
