// One event of a request as a line of COPY: the same rules as ours in spirit (required fields, types, lengths, timestamps).

export interface EventFault {
  readonly field: string;
  readonly message: string;
}

const idCharsMax = 256;
const futureMsMax = 86_400_000;
const timestampForm = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$/;
const controls = /[\u0000-\u001f\u007f]/;
const nulEscape = '\\u0000';
/** How COPY's text format writes a missing value. */
const missing = '\\N';

/** The columns that a line has, in its order. */
export const copyStatement = 'COPY events (ts, event, user_id, anonymous_id, properties) FROM STDIN';

/** A line for COPY, or what is wrong. */
export function eventRow(value: unknown, nowMs: number): string | EventFault {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fault('', 'an event is an object');
  const {event, userId, anonymousId, timestamp, properties} = value as Record<string, unknown>;
  if (!isText(event)) return fault('event', 'must be 1 to 256 characters');
  if (userId != null && !isText(userId)) return fault('userId', 'must be 1 to 256 characters');
  if (anonymousId != null && !isText(anonymousId)) return fault('anonymousId', 'must be 1 to 256 characters');
  if (userId == null && anonymousId == null) return fault('userId', 'userId or anonymousId is required');
  if (timestamp != null && !isTime(timestamp, nowMs)) return fault('timestamp', 'must be an ISO 8601 time');
  if (properties != null && (typeof properties !== 'object' || Array.isArray(properties))) {
    return fault('properties', 'must be an object');
  }
  const time = timestamp == null ? new Date(nowMs).toISOString() : (timestamp as string);
  const json = properties == null ? '{}' : JSON.stringify(properties);
  // One such event would fail the transaction of everybody who waits with it.
  if (json.includes(nulEscape)) return fault('properties', 'PostgreSQL stores no U+0000');
  return `${time}\t${copied(event)}\t${copiedId(userId)}\t${copiedId(anonymousId)}\t${copied(json)}\n`;
}

const fault = (field: string, message: string): EventFault => ({field, message});

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= idCharsMax && !controls.test(value);
}

/** Without an offset PostgreSQL takes it as UTC, as its session's time zone is. */
function isTime(value: unknown, nowMs: number): boolean {
  if (typeof value !== 'string' || !timestampForm.test(value)) return false;
  const timeMs = Date.parse(value);
  return timeMs >= 0 && timeMs <= nowMs + futureMsMax;
}

const copiedId = (value: unknown): string => (value == null ? missing : copied(value as string));

/** COPY's only special character that can be here: control characters are refused, and escaped in JSON. */
const copied = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);
