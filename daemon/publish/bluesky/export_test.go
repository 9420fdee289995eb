package bluesky

import "encoding/json"

// SetVideoService makes a publisher use another video service.
func (p *Publisher) SetVideoService(address string) { p.videoService = address }

// SetPartsAbove makes a publisher send smaller videos in parts.
func (p *Publisher) SetPartsAbove(size int64) { p.partsAbove = size }

// RecordCID returns the content identifier of a record in JSON.
func RecordCID(text []byte) string {
	var r record
	if json.Unmarshal(text, &r) != nil {
		return ""
	}
	cid, _ := recordCID(r)
	return cid
}
