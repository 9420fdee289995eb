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
var requests = []string{"AddAccount", "CreatePost", "EditAccount", "EditPost", "PublishPost", "RetryPost", "SchedulePost"}

// enums are the texts that a field of a type can have.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[schedctl.Code]():   values(schedctl.Codes()),
	reflect.TypeFor[schedctl.Status](): values(schedctl.Statuses()),
	reflect.TypeFor[schedctl.Scope]():  values(schedctl.Scopes()),
	reflect.TypeFor[schedctl.AccountStatus](): values([]schedctl.AccountStatus{
		schedctl.AccountConnected, schedctl.AccountDisconnected, schedctl.AccountError,
	}),
	reflect.TypeFor[schedctl.ErrorKind](): values(schedctl.ErrorKinds()),
	reflect.TypeFor[schedctl.Outcome]():   values([]schedctl.Outcome{schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown}),
	reflect.TypeFor[storage.Sort]():       values(listSorts),
}

// always are the fields whose type allows null and whose value never is.
var always = []string{"Post.created_at", "Post.updated_at", "Account.created_at", "Account.updated_at"}

// completeSchemas adds to the schemas what their types do not say.
func completeSchemas(registry huma.Registry) {
	for _, name := range slices.Sorted(maps.Keys(registry.Map())) {
		schema := registry.Map()[name]
		schema.Description = descriptions[name]
		if !slices.Contains(requests, name) {
			schema.AdditionalProperties = nil // a later version may say more
		}
		t := registry.TypeFromRef(schemaRef + name)
		for i := range t.NumField() {
			field := t.Field(i)
			property, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			schema.Properties[property] = completeProperty(name+"."+property, schema.Properties[property], field.Type)
		}
	}
}

// completeProperty returns the schema of the field at path, of type t.
func completeProperty(path string, s *huma.Schema, t reflect.Type) *huma.Schema {
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[apiv1.Time]():
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
	if limit, ok := limits[path]; ok {
		limit(s)
	}
	return s
}

// limits are rules that a schema can tell.
var limits = map[string]func(*huma.Schema){
	"CreatePost.content":              contentLimits,
	"EditPost.content":                contentLimits,
	"CreatePost.social_account_ids":   idLimits,
	"EditPost.social_account_ids":     idLimits,
	"SchedulePost.social_account_ids": idLimits,
	"PublishPost.social_account_ids":  idLimits,
	"CreatePost.publish_at":           nullable,
	"EditPost.publish_at":             nullable,
	"RetryPost.target_ids":            oneOrMore,
	"AddAccount.name":                 nameLimits,
	"EditAccount.name":                nameLimits,
}

func contentLimits(s *huma.Schema) { s.MinLength, s.MaxLength = ptr(1), ptr(schedctl.MaxContent) }
func idLimits(s *huma.Schema)      { s.MaxItems, s.UniqueItems = ptr(schedctl.MaxAccounts), true }
func nameLimits(s *huma.Schema)    { s.MinLength, s.MaxLength = ptr(1), ptr(schedctl.MaxAccountName) }
func oneOrMore(s *huma.Schema)     { s.MinItems = ptr(1) }
func nullable(s *huma.Schema)      { s.Nullable = true }
