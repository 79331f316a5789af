// Fields of events and identify calls that the service ignores: the answer names them, and a metric counts well-known names.
//   IF1. A name that is not in the list counts as `other`: no client can make the number of labels grow.

/** Mostly fields of other analytics services, sent instead of ours. */
const wellKnownFields = [
  ...['time', 'ts', 'time_stamp', 'timeStamp', 'created_at', 'createdAt', 'originalTimestamp', 'sent_at', 'receivedAt'],
  ...['user_id', 'userID', 'uid', 'distinct_id', 'anonymous_id', 'device_id', 'deviceId', 'session_id', 'sessionId'],
  ...['message_id', 'insert_id', 'uuid', 'id', 'name', 'event_type', 'eventName', 'type', 'action', 'category'],
  ...['props', 'params', 'data', 'payload', 'event_properties', 'user_properties', 'traits', 'groups', 'groupId'],
  ...['userId', 'anonymousId', 'messageId', 'properties', 'timestamp', 'sentAt', 'context', 'event', 'previousId'],
  ...['ip', 'url', 'channel', 'integrations', 'options', 'metadata', '_metadata', 'version', 'writeKey', 'write_key'],
  ...['token', 'api_key', 'apiKey', 'batch', '$set', '$set_once'],
] as const;

export const ignoredFieldLabels: readonly string[] = [...wellKnownFields, 'other'];
const labelNumbers: ReadonlyMap<string, number> = new Map(wellKnownFields.map((name, at) => [name, at]));

export const newIgnoredCounts = (): Float64Array => new Float64Array(ignoredFieldLabels.length);

/** IF1 */
export function countIgnored(counts: Float64Array, name: string): void {
  counts[labelNumbers.get(name) ?? ignoredFieldLabels.length - 1]! += 1;
}

const namesMax = 10;
const nameCharsMax = 64;
const headerBytesMax = 1024;

/** The first names, each once, long ones cut: the answer lists them. */
export class IgnoredNames {
  readonly names: string[] = [];
  /** Names that were added or left out: the events of a batch mostly have the same fields. */
  private readonly known = new Set<string>();
  private headerBytes = 0;

  add(name: string): void {
    if (this.names.length === namesMax || this.known.has(name)) return;
    this.known.add(name);
    const characters = [...name.slice(0, 2 * nameCharsMax + 2)];
    const cut = Buffer.from(characters.slice(0, nameCharsMax).join('')).toString(); // No lone surrogates.
    const told = characters.length > nameCharsMax ? `${cut}…` : cut;
    if (this.names.includes(told)) return;
    const bytes = encodeURIComponent(told).length + 1;
    if (this.headerBytes + bytes > headerBytesMax) return;
    this.headerBytes += bytes;
    this.names.push(told);
  }
}

/** The value of `Ignored-Fields`. */
export const ignoredFieldsText = (names: readonly string[]): string => names.map(encodeURIComponent).join(',');
