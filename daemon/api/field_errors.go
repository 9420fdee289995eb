package api

import "github.com/schedctl/schedctl/daemon/usecase"

type fieldErrors = usecase.Faults

var (
	fieldError = usecase.Fault
	invalid    = usecase.Invalid
)
