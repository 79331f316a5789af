// Where definitions name a person who is deleted: in the texts that people wrote, such as conditions, names and annotations.
//   NP1. A person's texts are their ids, and the texts of their traits: also those in lists and objects, and long numbers.
//   NP2. A text is found whatever its case, escaped as in an address of HTTP or a condition, and between other words. A text of one or two
//        characters is found only as a whole value: it would be in every other word.
//   NP3. Names, addresses of webhooks, annotations, names of events and what is said of them, and values of conditions are searched. What the service chose is
//        not: fixed values of members, names of properties. Nor is who made a definition: it is a colleague.
//   NP4. A public key chooses ids and traits, and must not aim a deletion at links. Links stop only for what surely is the person's:
//        - an id with a digit or an @ that is no short number and no name of events or of a property in a condition, in a name or a condition;
//        - the text of a trait that a secret key set. A word or a short number must be the value of a condition on this trait.
import {readCondition} from '../../actors/report/rows/condition-text.js';
import type {ConditionMember} from '../asks/question/members.js';
import type {Definition} from './definition.js';

/** A text that may name a person. */
export interface PersonText {
  readonly text: string;
  /** The condition that holds for users with this trait. Absent: it is an id, which nobody else has. */
  readonly trait?: {
    readonly property: string;
    readonly op: 'eq' | 'has';
    /** A secret key set it last. */
    readonly isSecret: boolean;
  };
}

export interface WrittenText {
  readonly text: string;
  /** It is a value of a condition on this property or trait. */
  readonly property?: string;
  /** It is the name of events. */
  readonly isEvent?: true;
}

export const definitionKinds = {
  sr: 'saved_report',
  sh: 'share',
  bd: 'board',
  an: 'annotation',
  al: 'alert',
  wh: 'webhook',
  fn: 'funnel',
  sg: 'segment',
  nm: 'described_name',
} as const;

/** What may name a person: definitions with texts (digests have none), and names of events and properties that are hidden from lists. */
export const namingKinds = [...Object.values(definitionKinds), 'hidden_name', 'hidden_property'] as const;
export type WrittenKind = (typeof namingKinds)[number];

/** Something that people wrote. */
export interface Written {
  readonly kind: WrittenKind;
  readonly id: string;
  readonly texts: readonly WrittenText[];
}

/** A value that fewer users have names people. */
export const fewUsers = 5;
/** Shortest number that may name a person: shorter ones are ages, counts and years. */
const digitsMin = 6;
/** NP2 */
const wordCharsMin = 3;

/** NP1. `traits`: as the profile has them. `secretTraits`: those that a secret key set last. */
export function textsOf(
  ids: readonly string[],
  traits: Readonly<Record<string, unknown>>,
  secretTraits: readonly string[],
): PersonText[] {
  const found = new Map<string, PersonText>();
  const add = (one: PersonText): void => {
    const text = folded(one.text.trim());
    const key = JSON.stringify([one.trait?.property, text]);
    if (text !== '' && !found.has(key)) found.set(key, one);
  };
  for (const text of ids) add({text});
  const secret = new Set(secretTraits);
  for (const [name, all] of Object.entries(traits)) {
    const isSecret = secret.has(name);
    const walk = (value: unknown, property: string, op: 'eq' | 'has'): void => {
      const trait = {property, op, isSecret};
      if (typeof value === 'string') add({text: value, trait});
      else if (typeof value === 'number') {
        const text = String(value);
        if (text.replace(/\D/g, '').length >= digitsMin) add({text, trait});
      } else if (Array.isArray(value)) for (const one of value) walk(one, property, 'has');
      else if (typeof value === 'object' && value !== null)
        for (const [key, one] of Object.entries(value)) walk(one, `${property}.${key}`, op);
    };
    walk(all, name, 'eq');
  }
  return [...found.values()];
}

/** The texts that `written` has. NP2 */
export function foundIn({texts: written}: Written, texts: readonly PersonText[]): PersonText[] {
  const everything = searched(written);
  return texts.filter(({text}) => has(everything, folded(text.trim())));
}

const wordOrShortNumber = /^(?:\p{L}+|\d{1,5})$/u;

/** Whether a link that has this text, which names the person, stops. `things`: names of events and properties, folded. NP4 */
export function isSurely({text, trait}: PersonText, {texts: written}: Written, things: ReadonlySet<string>): boolean {
  if (trait?.isSecret === false) return false;
  const isPlain = wordOrShortNumber.test(text.trim());
  if (trait !== undefined && !isPlain) return true;
  if (trait === undefined && (isPlain || !/[\d@]/.test(text) || things.has(folded(text.trim())))) return false;
  const where = written.filter((one) => (trait === undefined ? !one.isEvent : one.property === trait.property));
  return has(searched(where), folded(text.trim()));
}

const searched = (texts: readonly WrittenText[]): string =>
  folded(texts.flatMap(({text}) => spellings(text)).join('\n'));

export const folded = (text: string): string => text.normalize('NFC').toLowerCase();

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

type Reader = (text: string) => readonly WrittenText[];
const ofWords: Reader = (text) => [{text}];
const ofEvent: Reader = (text) => [{text, isEvent: true}];

/** Values alone. A text that is no condition may be anything. */
const ofCondition: Reader = (text) => {
  const condition = readCondition(text);
  return condition?.values.map((value) => ({text: value, property: condition.property})) ?? [{text}];
};

/** NP3. The fields of definitions that are searched. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ...['name', 'text', 'url', 'as', 'description', 'owner'].map((field) => [field, ofWords] as const),
  ...['event', 'names'].map((field) => [field, ofEvent] as const),
  ['where', ofCondition],
]);

/** One that is no text. */
const isCondition = (value: unknown): value is Exclude<ConditionMember, string> =>
  typeof value === 'object' && value !== null && 'property' in value && 'op' in value;

/** Texts of a definition; undefined: it is of no kind that people write. */
export function writtenIn(definition: Definition): Written | undefined {
  const kind = definitionKinds[definition.id.slice(0, 2) as keyof typeof definitionKinds];
  if (kind === undefined) return undefined;
  const texts: WrittenText[] = [];
  const walk = (value: unknown, field: string): void => {
    if (typeof value === 'string') texts.push(...(readers.get(field)?.(value) ?? []));
    else if (Array.isArray(value)) for (const one of value) walk(one, field);
    else if (isCondition(value))
      texts.push(...[value.value ?? []].flat().map((text) => ({text: String(text), property: value.property})));
    else if (typeof value === 'object' && value !== null)
      for (const [inner, one] of Object.entries(value)) walk(one, inner);
  };
  walk(definition, '');
  return {kind, id: definition.id, texts};
}
