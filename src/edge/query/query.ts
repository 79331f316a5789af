// Query strings, form-encoded (docs/api/errors.md): every name is known, occurs once unless it is a list, and has a value.
//   Q1. A route declares its parameters once: the declaration reads its requests, and describes it.
import {didYouMean, nearestOf} from '../../nearest.js';
import {invalidRequest, RequestFailure} from '../failure.js';

/** JSON Schema, draft 2020-12, as a plain value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The declaration of one parameter. */
export interface Parameter<Value> {
  readonly description: string;
  readonly isRequired: boolean;
  /** May occur any number of times; a numbered one with each number. */
  readonly isList: boolean;
  /** Largest n of a parameter whose name ends in `[n]`: n is any number from 1 on. */
  readonly numberMax?: number;
  /** Schema of its decoded text, or list of texts. */
  readonly schema: JsonSchema;
  /** Part of the example request of its route. */
  readonly example?: string | readonly string[];
  /**
   * @param texts decoded, none of them empty; none at all when it is absent.
   * @param textsOf those of another name: of a numbered one.
   * @throws RequestFailure that names it.
   */
  readonly read: (name: string, texts: readonly string[], textsOf: TextsOf) => Value;
}

type TextsOf = (name: string) => readonly string[];

const numberedEnd = '[n]';

/** The name with a number of a parameter whose name ends in `[n]`. */
export const numberedName = (name: string, number: number): string =>
  `${name.slice(0, -numberedEnd.length)}[${number}]`;

/** The values of `one` for each number that is given. Its name in a form ends in `[n]`. */
export const numbered = <Value>(
  one: Parameter<Value | undefined>,
  numberMax: number,
): Parameter<ReadonlyMap<number, Value>> => ({
  ...one,
  numberMax,
  read: (name, _, textsOf) => {
    const values = new Map<number, Value>();
    for (let number = 1; number <= numberMax; number++) {
      const own = numberedName(name, number);
      const texts = textsOf(own);
      const value = texts.length === 0 ? undefined : one.read(own, texts, textsOf);
      if (value !== undefined) values.set(number, value);
    }
    return values;
  },
});

/** The parameters of a route, by name. */
export type QueryForm = Readonly<Record<string, Parameter<unknown>>>;

export type QueryValues<Form extends QueryForm> = {
  readonly [Name in keyof Form]: Form[Name] extends Parameter<infer Value> ? Value : never;
};

/** A route without parameters refuses every one. */
export const noParameters = {} as const;

/** `others`: whether unknown parameters are refused. @throws RequestFailure that names the parameter at fault. */
export function readQuery<Form extends QueryForm>(
  text: string,
  form: Form,
  others: 'refused' | 'ignored' = 'refused',
): QueryValues<Form> {
  const texts = splitQuery(text, form, others === 'ignored');
  const values: Record<string, unknown> = {};
  const textsOf = (name: string): readonly string[] => texts.get(name) ?? [];
  for (const [name, parameter] of Object.entries(form)) values[name] = parameter.read(name, textsOf(name), textsOf);
  return values as QueryValues<Form>;
}

function splitQuery(text: string, form: QueryForm, ignoresOthers: boolean): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decodeForm(rawName);
    const parameter = name === undefined ? undefined : parameterOf(form, name);
    if (ignoresOthers && parameter === undefined) continue;
    if (name === undefined) throw refused('is a malformed escape', rawName);
    if (parameter === undefined) throw refused(`is not a parameter of this route${knownHint(form, name)}`, name);
    const value = equals < 0 ? '' : decodeForm(pair.slice(equals + 1));
    if (value === undefined) throw refused('has a malformed escape', name);
    if (value === '') throw refused('is empty', name);
    const known = texts.get(name);
    if (known === undefined) texts.set(name, [value]);
    else if (parameter.isList) known.push(value);
    else throw refused('is given more than once', name);
  }
  return texts;
}

const withNumber = /^([^[]+)\[([1-9]\d{0,2})\]$/;

function parameterOf(form: QueryForm, name: string): Parameter<unknown> | undefined {
  if (Object.hasOwn(form, name)) return form[name]!.numberMax === undefined ? form[name] : undefined;
  const [, base, number] = withNumber.exec(name) ?? [];
  const numbered = base === undefined ? undefined : form[base + numberedEnd];
  return numbered !== undefined && Number(number) <= (numbered.numberMax ?? 0) ? numbered : undefined;
}

/** Words for who forgot the brackets of a list, `steps=a,b`, or else does not know the names. */
function knownHint(form: QueryForm, name: string): string {
  if (Object.hasOwn(form, `${name}[]`)) return `: write ${name}[]= before each value`;
  const known = Object.keys(form);
  if (known.length === 0) return ', which has none';
  const bare = (one: string): string => one.replace(/\[.*/, '');
  const near = nearestOf(bare(name), known.map(bare));
  return `, which has ${known.join(', ')}${didYouMean(known.find((one) => bare(one) === near))}`;
}

const refused = (why: string, name: string): RequestFailure =>
  new RequestFailure(invalidRequest(`the query parameter ${name} ${why}`, name));

/** Undefined when an escape is malformed or not UTF-8. */
function decodeForm(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** The id that ends a path. @throws RequestFailure when it cannot be decoded. */
export function readPathId(segment: string): string {
  const id = decodePercent(segment);
  if (id === undefined) throw new RequestFailure(invalidRequest('the id in the path has a malformed escape', 'id'));
  return id;
}

const replacement = '\ufffd';

/**
 * Undefined when an escape is malformed or not UTF-8. A plus is a plus.
 * The replacement character stands for bytes of the request that are not UTF-8, which could name any user: a client that means
 * the character itself must escape it.
 */
export function decodePercent(text: string): string | undefined {
  if (text.includes(replacement)) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
