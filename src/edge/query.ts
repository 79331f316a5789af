// Query strings, form-encoded (API.md, Errors): every name is known, stands once unless it is a list, and has a value.
import {invalidRequest, RequestFailure} from './failure.js';

/** What a route takes: `single` at most once, `list` any number of times. */
export type QueryForm = Readonly<Record<string, 'single' | 'list'>>;

export class Query {
  private readonly values = new Map<string, string[]>();

  get(name: string): string | undefined {
    return this.values.get(name)?.[0];
  }

  list(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  /** @throws RequestFailure when it is absent. */
  required(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new RequestFailure(invalidRequest(`${name} is required`, name));
    return value;
  }

  add(name: string, value: string): void {
    const values = this.values.get(name);
    if (values === undefined) this.values.set(name, [value]);
    else values.push(value);
  }
}

/** @throws RequestFailure that names the parameter at fault. */
export function parseQuery(text: string, form: QueryForm): Query {
  const query = new Query();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decodeForm(rawName);
    if (name === undefined) throw refused('is a malformed escape', rawName);
    const kind = Object.hasOwn(form, name) ? form[name] : undefined;
    if (kind === undefined) throw refused('is not a parameter of this route', name);
    const value = equals < 0 ? '' : decodeForm(pair.slice(equals + 1));
    if (value === undefined) throw refused('has a malformed escape', name);
    if (value === '') throw refused('is empty', name);
    if (kind === 'single' && query.get(name) !== undefined) throw refused('stands more than once', name);
    query.add(name, value);
  }
  return query;
}

const refused = (why: string, name: string): RequestFailure =>
  new RequestFailure(invalidRequest(`the query parameter ${name} ${why}`, name));

/** Undefined when an escape is malformed or no UTF-8. */
function decodeForm(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Undefined when an escape is malformed or no UTF-8. A plus is a plus. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
