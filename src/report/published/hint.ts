// Hints for a question that is probably a mistake: an event name that no partition knows.
//   HI1. A name whose events are all deleted gets no hint: tables of names lack it.

import {wtf8} from '../../../actors/bytes/bytes.js';
import {NearName} from '../../../actors/report/counts/near-name.js';
import {eventsAskedFor, quotedInHint} from '../../asked-names.js';
import type {ReportQuery} from '../../asks/report.js';
import {TimeSlicer} from '../../pacing/time-slicer.js';
import type {WholeSet} from './held-sets.js';

/** A funnel may have 50 steps; proxies take some 8 KB of headers. */
const namesMax = 3;
/** Parts of a name with commas that are looked up. */
const partsMax = 5;
/** Names compared at once: below a millisecond. */
const namesAtOnce = 1_024;

/** Event names of the question that no snapshot has. */
export function unknownNames(query: ReportQuery, snapshots: WholeSet): string[] {
  return [...new Set(eventsAskedFor(query))].filter((name) => !isKnown(name, snapshots));
}

function isKnown(name: string, snapshots: WholeSet): boolean {
  const bytes = wtf8(name);
  return snapshots.some(({names}) => names.find(bytes, 0, bytes.length) >= 0);
}

export async function hintOf(unknown: readonly string[], snapshots: WholeSet): Promise<string> {
  const slices = new TimeSlicer();
  const hints: string[] = [];
  for (const name of unknown.slice(0, namesMax)) {
    const meant = severalIn(name, snapshots) ?? (await nearest(name, snapshots, slices));
    hints.push(`unknown event ${quotedInHint(name)}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
  }
  return hints.join('; ');
}

/** Names that a client joined with commas, as lists are written elsewhere. */
function severalIn(name: string, snapshots: WholeSet): string | undefined {
  const parts = name.split(',').map((part) => part.trim());
  if (parts.length === 1 || !parts.some((part) => isKnown(part, snapshots))) return undefined;
  return `${parts.slice(0, partsMax).map(quotedInHint).join(' and ')}, each in a parameter of its own`;
}

/** The known name that is nearest, in quotes; undefined: none is near. */
async function nearest(name: string, snapshots: WholeSet, slices: TimeSlicer): Promise<string | undefined> {
  const near = new NearName(name);
  for (const {names} of snapshots) {
    for (let known = 0; known < names.count; known++) {
      if (known % namesAtOnce === 0) await slices.pauseIfDue();
      if (names.has(known)) near.offer(names.text(known));
    }
  }
  return near.found === undefined ? undefined : quotedInHint(near.found);
}
