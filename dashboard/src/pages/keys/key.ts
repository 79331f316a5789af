// Kinds of API keys and the limits of a key, in words.
import type {ListedKey} from '../../../../src/edge/answers/keys.js';

export type KeyKind = ListedKey['kind'];
export type ShownOptions = NonNullable<ListedKey['options']>;

export const prefixOf: Readonly<Record<KeyKind, string>> = {
  write: 'sk_write_',
  read: 'sk_read_',
  secret: 'sk_live_',
};

export const kindWords: Readonly<
  Record<KeyKind, {readonly title: string; readonly may: string; readonly mayNot: string}>
> = {
  write: {
    title: 'Write key',
    may: 'Sends events and identifies users. It is public: it may stand in browsers and apps.',
    mayNot: 'It reads nothing.',
  },
  read: {
    title: 'Read key',
    may: 'Reads reports, events and people. For dashboards, notebooks and exports.',
    mayNot: 'It sends and deletes nothing, and must never reach a browser.',
  },
  secret: {
    title: 'Secret key',
    may: 'Sends, and reads reports, events and people; deletes users. For servers only.',
    mayNot: 'It must never reach a browser, and it creates no keys.',
  },
};

/** Limits of the key in words; empty for a key without limits. */
export function optionWords({
  identify,
  origins,
  events_per_second_per_address: rate,
  names,
  web,
}: ShownOptions = {}): readonly string[] {
  return [
    ...(identify === false ? ['may not identify'] : []),
    ...(origins === undefined ? [] : [`pages of ${origins.join(', ')}`]),
    ...(rate === undefined ? [] : [`${rate} events a second for each address`]),
    ...(names === undefined ? [] : ['only names that exist']),
    ...(web === undefined ? [] : [web ? 'events of pages' : 'events of no pages']),
  ];
}

/** Command that sends one event, ready to paste. */
export const curlOf = (key: string, kind: KeyKind, address: string): string =>
  kind === 'write'
    ? `curl -X POST '${address}/v1/events' \\\n  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\\n  -d '{"event":"signup","userId":"ada"}'`
    : `curl '${address}/v1/events?limit=5' \\\n  -H 'Authorization: Bearer ${key}'`;
