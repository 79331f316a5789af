// What people are called. Lists of people have the traits that say it; for people whom events name, the service is asked.
//   TI1. Everybody whom a page shows is asked for in one request, and once in a while again: people change their names.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {Json} from '../../../actors/log/json.js';
import {titleOf} from '../../../actors/report/rows/person-traits.js';
import type {TitlesAnswer} from '../../../src/edge/dashboard/answers/titles.js';
import type {PersonId} from '../address/report-address';
import {change} from './client';
import {session} from './session';

/** Undefined: the id is all that there is, or all that this person may see. */
export const titleIn = (traits: unknown): string | undefined =>
  titleOf(traits as {readonly [name: string]: Json}, session.value?.titles ?? []);

interface Known {
  readonly title: string | undefined;
  readonly askedMs: number;
}

/** Bound of the service for one request. */
const askedAtOnce = 100;
const knownMax = 2_000;
const knownMs = 60_000;
/** Rows of one second come together. */
const gatherMs = 50;

const known = signal<ReadonlyMap<string, Known>>(new Map());
const waiting = new Map<string, PersonId>();
let isDue = false;

const keyOf = ({kind, id}: PersonId): string => `${kind}/${id}`;

/** Titles of people whom events name; undefined while a title is not known. */
export function useTitles(people: readonly PersonId[]): (person: PersonId) => string | undefined {
  useEffect(() => want(people), [people.map(keyOf).join('\n')]);
  return (person) => known.value.get(keyOf(person))?.title;
}

function want(people: readonly PersonId[]): void {
  if (session.value?.sees_traits !== true || session.value.titles.length === 0) return;
  const oldestMs = Date.now() - knownMs;
  for (const person of people) {
    const key = keyOf(person);
    if ((known.peek().get(key)?.askedMs ?? 0) < oldestMs) waiting.set(key, person);
  }
  if (waiting.size === 0 || isDue) return;
  isDue = true;
  setTimeout(() => void askWaiting(), gatherMs);
}

async function askWaiting(): Promise<void> {
  isDue = false;
  const asked = [...waiting].slice(0, askedAtOnce);
  for (const [key] of asked) waiting.delete(key);
  const of = (kind: PersonId['kind']): string[] => asked.flatMap(([, one]) => (one.kind === kind ? [one.id] : []));
  const answer = await change<TitlesAnswer>('POST', 'titles', {users: of('user'), anonymous: of('anonymous')});
  const {users, anonymous} = answer.kind === 'value' ? answer.value : {users: {}, anonymous: {}};
  const before = known.peek().size > knownMax ? [] : known.peek();
  const titleOfAsked = ({kind, id}: PersonId): string | undefined => {
    const titles = kind === 'user' ? users : anonymous;
    return Object.hasOwn(titles, id) ? titles[id] : undefined;
  };
  const askedMs = Date.now();
  known.value = new Map([...before, ...asked.map(([key, one]) => [key, {title: titleOfAsked(one), askedMs}] as const)]); // TI1
  if (waiting.size > 0) await askWaiting();
}

/** The person of an event: its user, or without a user its anonymous visitor. */
export const personOf = (userId: string | null, anonymousId: string | null): PersonId =>
  userId === null ? {kind: 'anonymous', id: anonymousId ?? ''} : {kind: 'user', id: userId};
