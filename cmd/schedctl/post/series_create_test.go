package post

import (
	"reflect"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// A series has every field of its post that a series can have.
func TestSeriesRequestHasAllFields(t *testing.T) {
	t.Parallel()
	p := apiv1.CreatePost{Content: "x"}
	v := reflect.ValueOf(&p).Elem()
	fields := reflect.VisibleFields(v.Type())
	for _, field := range fields {
		switch f := v.FieldByIndex(field.Index); f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
	o := createOptions{}
	o.repeat.variants = []string{""}
	s, err := o.seriesRequest(p)
	if err != nil {
		t.Fatal(err)
	}
	got, shared := reflect.ValueOf(s), 0
	for _, field := range fields {
		f := got.FieldByName(field.Name)
		if !f.IsValid() || field.Anonymous {
			continue
		}
		if shared++; !reflect.DeepEqual(f.Interface(), v.FieldByIndex(field.Index).Interface()) {
			t.Errorf("%s is not that of the post: %v", field.Name, f.Interface())
		}
	}
	if shared < 15 {
		t.Errorf("only %d fields are shared", shared)
	}
}
