// Query strings, form-encoded (docs/api.md, Errors): every name is known, occurs once unless it is a list, and has a value.
//   Q1. A route declares its parameters once: the declaration reads its requests, and describes it.
import {invalidRequest, RequestFailure} from '../failure.js';

/** JSON Schema, draft 2020-12, as a plain value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The declaration of one parameter. */
export interface Parameter<Value> {
  readonly description: string;
  readonly isRequired: boolean;
  /** May occur any number of times. */
  readonly isList: boolean;
  /** Schema of its decoded text, or list of texts. */
  readonly schema: JsonSchema;
  /** Part of the example request of its route. */
  readonly example?: string | readonly string[];
  /**
   * @param texts decoded, none of them empty; none at all when it is absent.
   * @throws RequestFailure that names it.
   */
  readonly read: (name: string, texts: readonly string[]) => Value;
}

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
  for (const [name, parameter] of Object.entries(form)) values[name] = parameter.read(name, texts.get(name) ?? []);
  return values as QueryValues<Form>;
}

function splitQuery(text: string, form: QueryForm, ignoresOthers: boolean): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decodeForm(rawName);
    if (ignoresOthers && !(name !== undefined && Object.hasOwn(form, name))) continue;
    if (name === undefined) throw refused('is a malformed escape', rawName);
    if (!Object.hasOwn(form, name)) throw refused('is not a parameter of this route', name);
    const value = equals < 0 ? '' : decodeForm(pair.slice(equals + 1));
    if (value === undefined) throw refused('has a malformed escape', name);
    if (value === '') throw refused('is empty', name);
    const known = texts.get(name);
    if (known === undefined) texts.set(name, [value]);
    else if (form[name]!.isList) known.push(value);
    else throw refused('is given more than once', name);
  }
  return texts;
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
