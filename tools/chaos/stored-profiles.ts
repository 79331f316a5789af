// Profiles, compared with the journal's identifies and the events of history.
//   A profile has every acknowledged trait and no other. The trait that all identifies of a user set has the value of the one
//   acknowledged last, or of one whose outcome is unknown, which may have arrived at any time.

import {isDeepStrictEqual} from 'node:util';
import {profileEventsMax} from '../model/history.js';
import type {JsonObject} from '../model/model.js';
import type {Broken} from './broken.js';
import type {Thing} from './journal.js';
import type {EventRow, Readback} from './readback.js';
import {compareRows} from './stored-events.js';
import type {Fate} from './truth.js';
import {isTimedName} from './workload.js';

interface Profile {
  readonly id: string;
  readonly traits: JsonObject;
  readonly created_at: string;
  readonly last_seen: string;
  readonly events: EventRow[];
  readonly events_has_more: boolean;
}

export interface IdentifyFate extends Fate {
  readonly thing: Thing & {kind: 'identify'};
}

export async function brokenProfile(
  readback: Readback,
  userId: string,
  identifies: readonly IdentifyFate[],
  rows: readonly EventRow[],
): Promise<Broken[]> {
  const answer = await readback.get(`/v1/users/${encodeURIComponent(userId)}`);
  const isKnown = rows.length > 0 || identifies.some(({acked}) => acked > 0);
  if (answer.status === 404) return isKnown ? [{invariant: 'profile', detail: `${userId} is unknown`}] : [];
  if (answer.status !== 200) return [{invariant: 'profile', detail: `${userId}: ${answer.status} ${answer.text}`}];
  const profile = JSON.parse(answer.text) as Profile;
  return complaints(profile, identifies, rows).map((what) => ({invariant: 'profile', detail: `${userId}: ${what}`}));
}

function complaints(profile: Profile, identifies: readonly IdentifyFate[], rows: readonly EventRow[]): string[] {
  return [
    ...traitComplaints(profile.traits, identifies),
    ...(rows.length > 0 ? timeComplaints(profile, rows) : []),
    ...eventComplaints(profile, rows),
  ];
}

function traitComplaints(traits: JsonObject, identifies: readonly IdentifyFate[]): string[] {
  const {latest, ...own} = traits;
  const sent = identifies.map(({thing}) => thing.traits);
  const lost = identifies.filter(({acked, thing}) => acked > 0 && own[`t${thing.n}`] !== thing.n);
  const invented = Object.entries(own).filter(([name, value]) => !sent.some((each) => each[name] === value));
  const isLatest =
    identifies.length === 0 ? latest === undefined : possibleLatest(identifies).has(latest as number | undefined);
  return [
    ...lost.map(({thing}) => `identify ${thing.n} was acknowledged and lost`),
    ...invented.map(([name]) => `trait ${name} was never sent`),
    ...(isLatest ? [] : [`the shared trait is ${latest}, possible are ${[...possibleLatest(identifies)]}`]),
  ];
}

function possibleLatest(identifies: readonly IdentifyFate[]): Set<number | undefined> {
  const possible = new Set<number | undefined>();
  for (const {thing, unknown} of identifies) if (unknown > 0) possible.add(thing.n);
  const acked = identifies.filter((fate) => fate.acked > 0).sort((a, b) => a.ackedAt - b.ackedAt);
  possible.add(acked.at(-1)?.thing.n);
  return possible;
}

/** Events of a round are years before its identifies; those without a timestamp may be after them. */
function timeComplaints({created_at, last_seen}: Profile, rows: readonly EventRow[]): string[] {
  const times = rows.map(({timestamp}) => timestamp).sort();
  const [first, last] = [times[0]!, times.at(-1)!];
  const isFirstKnown = rows.some(({event}) => isTimedName(event));
  return [
    ...(created_at === first || !isFirstKnown ? [] : [`created_at is ${created_at}, the first event is of ${first}`]),
    ...(last_seen === last ? [] : [`last_seen is ${last_seen}, the last event is of ${last}`]),
  ];
}

function eventComplaints({events, events_has_more}: Profile, rows: readonly EventRow[]): string[] {
  const newest = [...rows].sort(compareRows).reverse().slice(0, profileEventsMax);
  // Among events of one millisecond the id of a joined one does not tell its place (S6, stored-events.ts).
  const shown = rows.some(({joined}) => joined) ? [...events].sort(compareRows).reverse() : events;
  const isSame = isDeepStrictEqual(shown, newest) && events_has_more === rows.length > profileEventsMax;
  return isSame ? [] : [`its ${events.length} events are not the ${newest.length} newest of the history`];
}

/** An erased user, or one that never existed, has no profile and no history. */
export async function brokenAbsence(readback: Readback, userId: string): Promise<Broken[]> {
  const profile = await readback.get(`/v1/users/${encodeURIComponent(userId)}`);
  const rows = await readback.history({userId});
  const found = [
    ...(profile.status === 404 ? [] : [`its profile answers ${profile.status}`]),
    ...(rows.length === 0 ? [] : [`its history has ${rows.length} events`]),
  ];
  return found.map((what) => ({invariant: 'erased', detail: `${userId}: ${what}`}));
}
