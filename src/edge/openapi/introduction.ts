// What holds for all routes, as the description says it (CommonMark: paragraphs, lists and code spans alone).

export const introduction = `- An event that was answered 200 is on disk. Profiles and history are live; reports come from a snapshot and say how fresh it is.
- Bodies are JSON in UTF-8. Times are ISO 8601: a date (\`2026-05-01\`), or with a time of hours and minutes at least (\`2026-05-01T12:00:00.5+02:00\`); without an offset they are UTC. Unknown fields of a body are ignored (those of the admin routes are refused); 28 levels of nesting are the most.
- Queries are form-encoded: a plus is a space. An unknown, empty or repeated parameter is refused with its name.
- Every refusal is \`{"error":{"code","message"}}\`, with \`field\` where one is at fault. Decide by \`code\`: messages may change.
- A path that is not there is 404 \`not_found\`, a method that a path does not have is 405 \`method_not_allowed\` with \`Allow\`. HEAD is GET without a body.
- Every answer names its request in \`X-Request-Id\`: as the client named it there, or as the service did (not on an accepted write). No cache keeps an answer (\`Cache-Control: no-store\`), but for the description of the service.
- 429 and 503 carry \`Retry-After\`. Events with a \`messageId\` are safe to send again.
`;
