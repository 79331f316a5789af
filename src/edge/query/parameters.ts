// Parameters of queries: forms of their texts, each with its schema, and how a route declares them.
import {z} from 'zod';
import {idCharsMax} from '../../../actors/limits.js';
import {isName} from '../../ingest/validate.js';
import {positionsPattern} from '../../log-position.js';
import {didYouMean, nearestOf} from '../../nearest.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {JsonSchema, Parameter} from './query.js';

/** The form of one text. */
export interface TextForm<Value> {
  readonly schema: JsonSchema;
  /** Follows "<name> must be". */
  readonly expected: string;
  /** Reads a text; undefined if it does not have this form. */
  readonly parse: (text: string) => Value | undefined;
  /** What a text that does not have this form probably means; undefined: nobody knows. */
  readonly nearest?: (text: string) => string | undefined;
}

const characters: JsonSchema = {type: 'string', minLength: 1, maxLength: idCharsMax};

export const name: TextForm<string> = {
  schema: characters,
  expected: `a name of 1 to ${idCharsMax} characters`,
  parse: (text) => (isName(text) ? text : undefined),
};

/** AU1 (asked-user.ts) */
export const askedId: TextForm<string> = {...name, expected: `an id of 1 to ${idCharsMax} characters`};

export const wholeNumber = (max: number): TextForm<number> => ({
  schema: {type: 'integer', minimum: 1, maximum: max},
  expected: `a whole number from 1 to ${max}`,
  parse: (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    return number >= 1 && number <= max ? number : undefined;
  },
});

export const word = <Word extends string>(words: readonly Word[]): TextForm<Word> => ({
  schema: {type: 'string', enum: words},
  expected: `one of ${words.join(', ')}`,
  parse: (text) => words.find((one) => one === text),
  nearest: (text) => nearestOf(text, words),
});

/** A `Report-Log-Position`. */
export const position: TextForm<string> = {
  schema: {type: 'string', pattern: positionsPattern.source},
  expected: 'the Report-Log-Position of an answer',
  parse: (text) => (positionsPattern.test(text) ? text : undefined),
};

/** Any text: the route checks it. */
export const anyText: TextForm<string> = {schema: {type: 'string'}, expected: 'a text', parse: (text) => text};

interface Words {
  readonly description: string;
  readonly example?: string;
}

/** What `cursor` of a list means. */
export const ofPageBefore =
  'The `next_cursor` of the page before, with the same parameters; it keeps the range, and `limit` may change. Pages of one ' +
  '`Report-Log-Position` fit together; `at` asks for it.';

export const optional = <Value>(form: TextForm<Value>, words: Words): Parameter<Value | undefined> => ({
  ...words,
  isRequired: false,
  isList: false,
  schema: form.schema,
  read: (field, [text]) => (text === undefined ? undefined : parsed(form, field, text)),
});

/** `absent` is the text of a parameter that is not given. */
export const withDefault = <Value>(
  form: TextForm<Value>,
  absent: Value & (string | number),
  words: Words,
): Parameter<Value> => ({
  ...words,
  isRequired: false,
  isList: false,
  schema: {...form.schema, default: absent},
  read: (field, [text]) => (text === undefined ? absent : parsed(form, field, text)),
});

export const required = <Value>(form: TextForm<Value>, words: Words): Parameter<Value> => ({
  ...words,
  isRequired: true,
  isList: false,
  schema: form.schema,
  read: (field, [text]) => {
    if (text === undefined) throw new RequestFailure(invalidRequest(`${field} is required`, field));
    return parsed(form, field, text);
  },
});

/** A parameter that is `true`; `false` is as without it. */
export const flag = (words: Words): Parameter<boolean> => ({
  ...words,
  isRequired: false,
  isList: false,
  schema: {type: 'string', enum: ['true', 'false']},
  read: (field, [text]) => text !== undefined && parsed(trueOrFalse, field, text) === 'true',
});
const trueOrFalse = word(['true', 'false']);

// -- members of questions (src/asks/question) --

/** Reads a member from a query, where a number is written in digits. */
function readMember<Value>(schema: z.ZodType<Value>, text: string) {
  const read = schema.safeParse(text);
  return read.success || !/^\d{1,9}$/.test(text) ? read : schema.safeParse(Number(text));
}

function schemaOfMember(schema: z.ZodType): JsonSchema {
  const {$schema, description, ...form} = z.toJSONSchema(schema, {io: 'input'});
  return form;
}

/** How a query writes a member. `escaped` follows what its form is. */
interface Written {
  readonly example?: string;
  readonly description?: string;
  readonly escaped?: string;
}

/** A parameter that is a member of a question: its form, its default, and what it means. */
export function member<Value>(schema: z.ZodType<Value>, {escaped = '', ...words}: Written = {}): Parameter<Value> {
  return {
    description: schema.description!,
    ...words,
    get isRequired() {
      return !schema.safeParse(undefined).success;
    },
    isList: false,
    get schema() {
      return schemaOfMember(schema);
    },
    read: (field, [text]) => {
      const read = text === undefined ? schema.safeParse(undefined) : readMember(schema, text);
      if (read.success) return read.data;
      if (text === undefined) throw new RequestFailure(invalidRequest(`${field} is required`, field));
      throw mustBe(field, read.error.issues[0]!.message + escaped);
    },
  };
}

/** 1 to `countMax` texts; `expected` describes all of them together. */
export const list = <Value>(
  form: TextForm<Value>,
  {countMax, expected, ...words}: {countMax: number; expected: string; description: string; example: readonly string[]},
): Parameter<readonly Value[]> => ({
  ...words,
  isRequired: true,
  isList: true,
  schema: {type: 'array', items: form.schema, minItems: 1, maxItems: countMax},
  read: (field, texts) => {
    const values = texts.map(form.parse);
    const isGood = values.length >= 1 && values.length <= countMax && !values.includes(undefined);
    if (!isGood) throw mustBe(field, expected);
    return values as Value[];
  },
});

/** Any number of texts up to `countMax`. */
export const optionalList = <Value>(
  form: TextForm<Value>,
  {countMax, ...words}: {countMax: number; description: string},
): Parameter<readonly Value[]> => ({
  ...words,
  isRequired: false,
  isList: true,
  schema: {type: 'array', items: form.schema, maxItems: countMax},
  read: (field, texts) => {
    if (texts.length > countMax) throw mustBe(field, `given at most ${countMax} times`);
    return texts.map((text) => parsed(form, field, text));
  },
});

function parsed<Value>(form: TextForm<Value>, field: string, text: string): Value {
  const value = form.parse(text);
  if (value === undefined) throw mustBe(field, form.expected + didYouMean(form.nearest?.(text)));
  return value;
}

const mustBe = (field: string, expected: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${field} must be ${expected}`, field));

/** @throws RequestFailure when both are given and the range is empty. */
export function checkRange(fromMs: number | undefined, toMs: number | undefined): void {
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) throw mustBe('from', 'no later than to');
}
