// A page's question as the query of its address, both ways. A form says which parameters there are.
//   A1. Reading what was written gives the question back; what is absent is the parameter's own default, and is not written.
//   A2. What is unknown or no value is named as a problem and left out: nothing is corrected in silence.

import {idCharsMax} from '../../../actors/limits.js';
import type {Problem} from '../../../src/asks/address.js';
import {readable} from '../../../src/asks/question/readable-query.js';

export type {Problem};

export interface Parameter<Value> {
  /** Value of an address without the parameter. */
  readonly absent: Value;
  /** Goes on after "must be". */
  readonly expected: string;
  /** Undefined: these texts, at least one, are no such value. */
  readonly read: (texts: readonly string[]) => Value | undefined;
  /** Whether a text is a value of a list. An address names the other texts as faults and keeps these. */
  readonly isPart?: (text: string) => boolean;
  readonly write: (value: Value) => readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: any value; QuestionOf gives each its own.
export type Form = Readonly<Record<string, Parameter<any>>>;
export type QuestionOf<F extends Form> = {readonly [Name in keyof F]: F[Name] extends Parameter<infer V> ? V : never};

export function readAddress<F extends Form>(form: F, search: string): {question: QuestionOf<F>; problems: Problem[]} {
  const given = new URLSearchParams(search);
  const problems: Problem[] = [];
  for (const name of new Set(given.keys())) {
    if (Object.hasOwn(form, name)) continue;
    problems.push(...given.getAll(name).map((text) => ({name, text, expected: undefined}))); // A2
  }
  const question: Record<string, unknown> = {};
  for (const [name, {absent, expected, read, isPart = () => true}] of Object.entries(form)) {
    const all = given.getAll(name);
    const texts = all.filter(isPart);
    problems.push(...all.filter((text) => !isPart(text)).map((text) => ({name, text, expected}))); // A2
    const value = texts.length === 0 ? absent : read(texts);
    if (value === undefined) problems.push({name, text: texts.join(', '), expected}); // A2
    question[name] = value === undefined ? absent : value;
  }
  return {question: question as QuestionOf<F>, problems};
}

/** `?event=signup&range=30d`; empty when everything is as it is without saying. `kept`: parts that mean nothing, and stay. */
export function writeAddress<F extends Form>(form: F, question: QuestionOf<F>, kept: readonly Problem[] = []): string {
  const pairs = new URLSearchParams();
  for (const [name, {absent, write}] of Object.entries(form)) {
    const texts = write(question[name]);
    if (texts.join('\0') === write(absent).join('\0') && texts.length === write(absent).length) continue;
    for (const text of texts) pairs.append(name, text);
  }
  for (const {name, text} of kept) pairs.append(name, text);
  const query = readable(pairs.toString());
  return query === '' ? '' : `?${query}`;
}

/** How a page has its question in its address, both ways. */
export interface Codec<Question> {
  readonly read: (search: string) => {readonly question: Question; readonly problems: readonly Problem[]};
  /** `kept`: parts that mean nothing, and stay. */
  readonly write: (question: Question, kept?: readonly Problem[]) => string;
}

export const codecOf = <F extends Form>(form: F): Codec<QuestionOf<F>> => ({
  read: (search) => readAddress(form, search),
  write: (question, kept) => writeAddress(form, question, kept),
});

/** The address of a page that asks this, and for the rest what it asks without saying. */
export const addressAsking = <F extends Form>(form: F, changed: Partial<QuestionOf<F>>): string =>
  writeAddress(form, {...readAddress(form, '').question, ...changed});

// -- Parameters --------------------------------------------------------------------------------------------------------

/** A parameter of one text that `parse` understands; several texts are no value. */
export const one = <Value>(
  absent: Value,
  expected: string,
  parse: (text: string) => Value | undefined,
  print: (value: Value & {}) => string,
): Parameter<Value> => ({
  absent,
  expected,
  read: ([text, ...more]) => (more.length > 0 ? undefined : parse(text!)),
  write: (value) => (value === undefined || value === null ? [] : [print(value)]),
});

export const word = <Word extends string, Absent extends Word | null>(
  words: readonly Word[],
  absent: Absent,
): Parameter<Word | Absent> =>
  one<Word | Absent>(
    absent,
    `one of ${words.join(', ')}`,
    (text) => words.find((word) => word === text),
    (value) => value as string,
  );

export const isName = ({length}: string): boolean => length >= 1 && length <= idCharsMax;

/** A parameter of one name or id of 1 to 256 characters, or none. */
export const nameOrNone = (expected: string): Parameter<string | null> =>
  one<string | null>(
    null,
    expected,
    (text) => (isName(text) ? text : undefined),
    (text) => text,
  );
