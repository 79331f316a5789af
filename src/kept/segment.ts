// A segment: users by their traits and by what they did, with a name. Questions name it by its id. Nobody's name is stored: who is in it
// is computed with each question.
import type {SegmentUsers} from '../asks/question/members.js';
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const segmentsMax = 200;

export interface Segment extends Definition {
  readonly name: string;
  readonly users: SegmentUsers;
  readonly changedMs: number;
  /** Name of the person or key that changed it last. */
  readonly changedBy: string;
}

export const segmentsOf = (store: KeptStore): Definitions<Segment> => store.definitions<Segment>('sg');
