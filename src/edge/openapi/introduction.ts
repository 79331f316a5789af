// The introduction of the description: facts about all routes (CommonMark: paragraphs, lists and code spans alone).

export const introduction = `- An event that was answered 200 is on disk. Profiles and history are live; reports come from a snapshot and say how fresh it is.
- Bodies are JSON in UTF-8. Times are ISO 8601: a date (\`2026-05-01\`), or with a time of hours and minutes at least (\`2026-05-01T12:00:00.5+02:00\`); without an offset they are UTC. Unknown fields of an event, an identify call or a batch are ignored and named in \`Ignored-Fields\`; other bodies refuse them. At most 28 levels of nesting.
- \`PATCH\` leaves fields that it does not name as they are.
- Queries are form-encoded: a plus is a space. An unknown, empty or repeated parameter is refused with its name; only the write routes ignore unknown ones.
- Every refusal is \`{"error":{"code","message"}}\`, with \`field\` where one is at fault. Decide by \`code\`: messages may change.
- A path that is not there is 404 \`not_found\`, a method that a path does not have is 405 \`method_not_allowed\` with \`Allow\`. HEAD is GET without a body.
- Every answer has an \`X-Request-Id\`: the client's own, or one that the service creates (not for accepted writes); \`X-Content-Type-Options: nosniff\`; and \`Cache-Control\`, which is \`no-store\` except for the description of the service and scripts for pages. Once half of a rate limit is used, answers also have \`RateLimit\` and \`RateLimit-Policy\`.
- Answers to GET, and to questions, above 1 KiB are compressed with br or gzip where \`Accept-Encoding\` has it: they have \`Content-Encoding\`, \`Vary\`, and a weak \`ETag\` (\`W/"…"\`), which counts as the strong one.
- Pages of other origins may read the answers of write routes and of the routes for other libraries: these have \`Access-Control-Allow-Origin\`, and \`Access-Control-Expose-Headers\` where a page may read further headers; those for other libraries have \`Access-Control-Allow-Credentials\` where a page has an origin.
- Bodies of requests may be compressed: \`Content-Encoding\` is gzip, deflate or br.
- A write that is on disk is answered with \`Log-Position\`, \`<partition>:<generation>.<sequence>\`: a report includes it if its \`Report-Log-Position\` is as late. Also with \`Ignored-Fields\`, \`Rejected-Events\` (how many calls were refused) and \`Event-Time-Ahead\` (seconds), where there are any. A deletion that continues has a \`Location\`.
- Reports and lists have \`Report-As-Of\` (they include every event acknowledged up to then), \`Report-Log-Position\` and \`Report-Next-By\` (when the next publication is due); some have \`Report-Incomplete-From\` (the first bucket that is still open), \`Report-Retained-From\` (earlier events, which were asked for, have expired), \`Report-Hint\` (what was probably meant) and, as a table, \`Next-Cursor\`.
- A change whose answers include 412 takes \`If-Match\` with an \`ETag\` that was read: it is made to that version alone.
- An answer with an \`ETag\` is 304, without a body, to an \`If-None-Match\` that has it.
- HTTP/1.1 only: the HTTP library answers HTTP/1.0 with 505. It closes idle connections after 8 to 12 s (\`Keep-Alive: timeout=8\`).
- 401 has \`WWW-Authenticate\`, 429 and 503 have \`Retry-After\`. Events with a \`messageId\` are safe to send again.
`;
