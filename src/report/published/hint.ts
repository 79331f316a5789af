// What a report says of a question that probably is not what was meant: an event name that no partition knows.
//   HI1. A hint says nothing of a name that has no events any more: tables of names do not have it.
//   HI2. A hint is a header: printable ASCII, everything else is escaped as in JSON.

import {wtf8} from '../../../actors/bytes/bytes.js';
import {NearName} from '../../../actors/report/counts/near-name.js';
import type {ReportQuery} from '../../asks.js';
import {TimeSlicer} from '../../pacing/time-slicer.js';
import type {WholeSet} from './held-sets.js';

/** A funnel may have 50 steps; proxies take some 8 KB of headers. */
const namesMax = 3;
const nameCharsMax = 64;
/** Names compared at once: below a millisecond. */
const namesAtOnce = 1_024;

/** Event names of the question that no snapshot has. */
export function unknownNames(query: ReportQuery, snapshots: WholeSet): string[] {
  return [...new Set(namesIn(query))].filter((name) => {
    const bytes = wtf8(name);
    return snapshots.every(({names}) => names.find(bytes, 0, bytes.length) < 0);
  });
}

function namesIn(query: ReportQuery): readonly string[] {
  if ('event' in query) return [query.event];
  if (query.report === 'retention') return [query.start.event, query.return.event].filter((name) => name !== undefined);
  if ('did' in query) return query.did.event === undefined ? [] : [query.did.event];
  if (query.report === 'funnel') return query.steps;
  if ('steps' in query) return [...query.steps, ...query.exclusions].map(({event}) => event);
  return 'events' in query ? (query.events ?? []) : [];
}

export async function hintOf(unknown: readonly string[], snapshots: WholeSet): Promise<string> {
  const slices = new TimeSlicer();
  const hints: string[] = [];
  for (const name of unknown.slice(0, namesMax)) {
    const near = await nearest(name, snapshots, slices);
    hints.push(`unknown event ${quoted(name)}${near === undefined ? '' : `; did you mean ${quoted(near)}?`}`);
  }
  return hints.join('; ');
}

async function nearest(name: string, snapshots: WholeSet, slices: TimeSlicer): Promise<string | undefined> {
  const near = new NearName(name);
  for (const {names} of snapshots) {
    for (let known = 0; known < names.count; known++) {
      if (known % namesAtOnce === 0) await slices.pauseIfDue();
      if (names.has(known)) near.offer(names.text(known));
    }
  }
  return near.found;
}

/** HI2 */
function quoted(name: string): string {
  const shown = name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}...` : name;
  return JSON.stringify(shown).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
