package publishtest

import "encoding/json"

// MetaError returns the body with which the APIs of Meta refuse a request. A subcode of 0 is
// left out.
func MetaError(code, subcode int, message string) string {
	e := map[string]any{"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "A"}
	if subcode != 0 {
		e["error_subcode"] = subcode
	}
	body, _ := json.Marshal(map[string]any{"error": e})
	return string(body)
}
