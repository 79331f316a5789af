// What is sent: events and identify calls, in the form of the API.

export type Fields = Readonly<Record<string, unknown>>;

/** Whose call it is, and what the caller knows better: each replaces what the SDK would have set. */
export interface More {
  readonly userId?: string;
  /** Visitor who is not signed in. An event with both ids joins them. */
  readonly anonymousId?: string | undefined;
  /** ISO 8601. */
  readonly timestamp?: string;
  /** The service counts one call of each id: a repetition needs the same id. */
  readonly messageId?: string;
}

export interface MoreOfEvent extends More {
  readonly context?: Fields;
}

export interface MoreOfIdentify extends Omit<More, 'userId'> {
  /** Traits that are set only where nothing has set them: of several the earliest counts. */
  readonly once?: Fields;
}

/** An event as it is sent. */
export interface SentEvent {
  event: string;
  userId?: string;
  anonymousId?: string | undefined;
  properties?: Record<string, unknown>;
  context?: Record<string, unknown>;
  timestamp: string;
  messageId: string;
}

/** Names of events with their properties; the default allows every name. */
export type AnyEvents = Record<string, Fields | undefined>;

/** Arguments of `track` after the name: properties may be left out where none are needed. */
export type TrackArguments<Properties> = undefined extends Properties
  ? [properties?: Properties, more?: MoreOfEvent]
  : [properties: Properties, more?: MoreOfEvent];

/** React Native has no `crypto`. */
const random = (): number => globalThis.crypto?.getRandomValues(new Uint32Array(1))[0] ?? Math.random() * 2 ** 32;

let newestMs = 0;

/** Ids that sort in the order in which they are made: calls of one millisecond stay in order wherever they are kept. */
export function newId(nowMs: number): string {
  newestMs = Math.max(nowMs, newestMs + 1);
  return [newestMs, random(), random(), random()].map((part) => Math.floor(part).toString(36)).join('');
}
