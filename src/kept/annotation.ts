// An annotation: what happened on a day or at a moment, in a few words that charts show.
//   AN1. Its words are a person's own. The form says that names do not belong there, and a deletion searches for the user's
//        (named-person.ts).
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const annotationsMax = 500;
export const annotationCharsMax = 200;

export interface Annotation extends Definition {
  /** A date, or a moment that ends in Z, as it was sent. */
  readonly at: string;
  /** AN1 */
  readonly text: string;
  /** Name of the person. */
  readonly createdBy: string;
}

export const annotationsOf = (store: KeptStore): Definitions<Annotation> => store.definitions<Annotation>('an');
