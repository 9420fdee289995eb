// Package mediafile reads the structure of media files without decoding them.
//
// [Inspect] finds the type of a file in its first bytes, walks the file to its end and
// returns its [Facts]. Use it on every file before anything else opens it: a file that it
// accepts is complete, has no second file appended, and is small enough to be decoded.
// [Strip] copies an inspected file without its metadata. It never decodes or encodes a
// picture, so the pixels stay identical. To make a file fit a network, use package variant.
//
// # Formats
//
//	image/png        PNG Specification (Third Edition), with animations (APNG)
//	image/jpeg       ITU-T T.81, JFIF, EXIF 3.0; baseline and progressive
//	image/webp       RFC 9649
//	image/gif        GIF87a and GIF89a
//	video/mp4        ISO/IEC 14496-12 and 14496-14
//	video/quicktime  QuickTime File Format
//	video/webm       RFC 8794 (EBML) and RFC 9559 (Matroska)
//	application/pdf  ISO 32000
//
// All other types are refused.
//
// # Limits of what a walk can find
//
// The walk checks lengths, order and checksums of the parts of a file. It does not decode
// compressed pixels or video. Some formats have no end of their own: a fragmented MP4 file
// that ends after a whole fragment, and a live WebM recording (of unknown size) that ends
// after a whole block, are complete files by their specification. So is a PDF file that
// ends after one of its earlier revisions.
//
// # Costs
//
// All walks are linear in the bytes of a file. A file has at most 20,000 pieces of metadata
// (see [DefaultLimits]), at most 100,000 parts and one more for each 16 bytes, and a JPEG
// picture at most 100 scans. In a video, the number of mdat boxes multiplied by the chunks
// of its metadata tracks is limited as well. What cameras and programs write is far below.
//
// Walks skip the data of parts where the format allows it, and read ahead where parts are
// small. They end soon after their context has ended.
//
// Inspect and Strip use less than 256 KiB for ordinary files, however large they are. Strip
// and [View] need 16 more bytes for each part that stays and each part that goes, and Inspect
// as many for each chunk of a track of timed metadata in a video: at most 1.6 MB.
package mediafile
