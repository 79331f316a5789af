// Where definitions name a person who is deleted: in the texts that people wrote, such as conditions, addresses and annotations.
//   NP1. A person's texts are their ids, and the texts of their traits: also those in lists and objects, and long numbers.
//   NP2. A text is found whatever its case, escaped as in an address or a condition, and between other words. A text of one or two
//        characters is found only as a whole value: it would be in every other word.
//   NP3. Who made a definition is not searched for: it names a colleague at work, and not a user.
import type {Definition} from './definition.js';

/** A text that may name a person. */
export interface PersonText {
  readonly text: string;
  /** The condition that holds for users with this trait. Absent: it is an id, which nobody else has. */
  readonly trait?: {readonly property: string; readonly op: 'eq' | 'has'};
}

export const definitionKinds = {
  sr: 'saved_report',
  sh: 'share',
  bd: 'board',
  an: 'annotation',
  al: 'alert',
  wh: 'webhook',
  fn: 'funnel',
} as const;

/** What may name a person: definitions, and names of events and properties that are hidden from lists. */
export const namingKinds = [...Object.values(definitionKinds), 'hidden_name', 'hidden_property'] as const;
export type WrittenKind = (typeof namingKinds)[number];

/** Something that people wrote. */
export interface Written {
  readonly kind: WrittenKind;
  readonly id: string;
  readonly texts: readonly string[];
}

/** A value that fewer users have names people. */
export const fewUsers = 5;
/** Shortest number that may name a person: shorter ones are ages, counts and years. */
const digitsMin = 6;
/** NP2 */
const wordCharsMin = 3;

/** NP1. `traits`: as the profile has them. */
export function textsOf(ids: readonly string[], traits: Readonly<Record<string, unknown>>): PersonText[] {
  const found = new Map<string, PersonText>();
  const add = (one: PersonText): void => {
    const key = folded(one.text.trim());
    if (key !== '' && !found.has(key)) found.set(key, one);
  };
  for (const text of ids) add({text});
  const walk = (value: unknown, property: string, op: 'eq' | 'has'): void => {
    if (typeof value === 'string') add({text: value, trait: {property, op}});
    else if (typeof value === 'number') {
      const text = String(value);
      if (text.replace(/\D/g, '').length >= digitsMin) add({text, trait: {property, op}});
    } else if (Array.isArray(value)) for (const one of value) walk(one, property, 'has');
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) walk(one, `${property}.${key}`, op);
  };
  for (const [key, value] of Object.entries(traits)) walk(value, key, 'eq');
  return [...found.values()];
}

/** The texts that `written` has. NP2 */
export function foundIn({texts: written}: Written, texts: readonly PersonText[]): PersonText[] {
  const everything = folded(written.flatMap(spellings).join('\n'));
  return texts.filter(({text}) => has(everything, folded(text.trim())));
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** A text as it is written, as an address shows it, and both without the escapes of conditions. */
function spellings(text: string): string[] {
  const shown = text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  const both = shown === text ? [text] : [text, shown];
  return both.flatMap((one) => (one.includes('\\') ? [one, one.replace(/\\(.)/g, '$1')] : [one]));
}

const inWord = /[\p{L}\p{N}_]/u;
const endsValue = /[\s=&,"]/;

function has(everything: string, text: string): boolean {
  const isWhole =
    text.length < wordCharsMin ? (other: string) => endsValue.test(other) : (other: string) => !inWord.test(other);
  for (let at = everything.indexOf(text); at >= 0; at = everything.indexOf(text, at + 1)) {
    const before = everything[at - 1];
    const after = everything[at + text.length];
    if ((before === undefined || isWhole(before)) && (after === undefined || isWhole(after))) return true;
  }
  return false;
}

/** Fields that are no text of the definition's own: ids, secrets, and who made it. NP3 */
const leftOut = ['v', 'id', 'createdMs', 'changedMs', 'createdBy', 'changedBy', 'secrets', 'hash'];

/** Texts of a definition; undefined: it is of no kind that people write. */
export function writtenIn(definition: Definition): Written | undefined {
  const kind = definitionKinds[definition.id.slice(0, 2) as keyof typeof definitionKinds];
  if (kind === undefined) return undefined;
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) walk(one);
  };
  for (const [field, value] of Object.entries(definition)) if (!leftOut.includes(field)) walk(value);
  return {kind, id: definition.id, texts};
}
