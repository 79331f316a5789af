// What people say of a name of events: what it means, who answers for it, and whether it is in use.
//   DN1. A name has one description. Two that were made at once by two edges stay; lists have the older one first, and pages show it.
//   DN2. Nothing is counted or refused by it: events of a planned or retired name count as ever.
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const describedNamesMax = 2_000;
export const descriptionCharsMax = 500;
export const ownerCharsMax = 100;

export const nameStates = ['live', 'planned', 'retired'] as const;
export type NameState = (typeof nameStates)[number];

export interface DescribedName extends Definition {
  readonly event: string;
  /** May be empty. */
  readonly description: string;
  /** A person or a team, in words; may be empty. */
  readonly owner: string;
  readonly state: NameState;
  readonly changedMs: number;
  /** Name of the person or key. */
  readonly changedBy: string;
}

export const describedNamesOf = (store: KeptStore): Definitions<DescribedName> =>
  store.definitions<DescribedName>('nm');
