// The answer of a paths report as columns, and what flows through one of their places.
//   PC1. What is not shown of a step is one edge of its own, from `other` to `other`: an event's users who went another way are
//        the difference between its users and its edges.
import type {PathsAnswer} from '../../../src/edge/answers/engagement.js';
import type {Cell} from './csv.js';

export interface PathPlace {
  readonly key: string;
  /** Undefined for a kind. */
  readonly event: string | undefined;
  readonly kind: 'other' | 'end' | undefined;
  readonly users: number;
}

interface Named {
  readonly event?: string | undefined;
  readonly kind?: 'other' | 'end' | undefined;
}

const placeKey = ({event, kind}: Named): string => (event === undefined ? `kind ${kind}` : `event ${event}`);

/** The places of each step: events, the one with most users first, then others, then the end. */
export function pathColumns({steps}: PathsAnswer): PathPlace[][] {
  const rank = {other: 1, end: 2} as const;
  return steps.map((places) =>
    places
      .map(({event, kind, users}) => ({key: placeKey({event, kind}), event, kind, users}))
      .sort((a, b) => (a.kind ? rank[a.kind] : 0) - (b.kind ? rank[b.kind] : 0) || b.users - a.users),
  );
}

interface Flow {
  /** Users by the key of a place in the next step, and in the step before. */
  readonly next: ReadonlyMap<string, number>;
  readonly before: ReadonlyMap<string, number>;
  /** Users of the place that went on, or came, another way. PC1 */
  readonly nextElse: number;
  readonly beforeElse: number;
}

/** @param step from 1 on */
export function flowOf({edges, steps}: PathsAnswer, step: number, key: string): Flow {
  const next = new Map<string, number>();
  const before = new Map<string, number>();
  for (const edge of edges) {
    if (edge.step === step && placeKey(edge.from) === key) next.set(placeKey(edge.to), edge.users);
    if (edge.step === step - 1 && placeKey(edge.to) === key) before.set(placeKey(edge.from), edge.users);
  }
  const users = steps[step - 1]?.find((place) => placeKey(place) === key)?.users ?? 0;
  const sum = (all: ReadonlyMap<string, number>): number => [...all.values()].reduce((a, b) => a + b, 0);
  const isLast = step === steps.length;
  return {
    next,
    before,
    nextElse: isLast || key === 'kind end' ? 0 : Math.max(0, users - sum(next)),
    beforeElse: step === 1 ? 0 : Math.max(0, users - sum(before)),
  };
}

/** Rows of the file, equal to those of `format=csv` of the API. */
export const pathCsv = ({edges}: PathsAnswer): Cell[][] => [
  ['step', 'from', 'from_kind', 'to', 'to_kind', 'users'],
  ...edges.map(({step, from, to, users}): Cell[] => [
    step,
    from.event ?? null,
    from.kind ?? null,
    to.event ?? null,
    to.kind ?? null,
    users,
  ]),
];
