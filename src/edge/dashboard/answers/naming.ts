// What names a deleted person.
import type {NamedBy} from '../../answers/users.js';

/** `named_by` of a receipt, with what people read on the page: only who signs in sees these texts. */
export interface NamingAnswer {
  /** `title`: name, text or address; null: it is not there any more. */
  readonly naming: readonly (NamedBy & {readonly title: string | null})[];
}
