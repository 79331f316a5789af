// A schema as a table of fields, each with its type and bounds; named schemas are links.
import type {JsonSchema} from '../../query/query.js';
import {type Content, html, type Markup, prose} from './markup.js';

interface Schema extends JsonSchema {
  readonly $ref?: string;
  /** A list: a value of any of these types. */
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/** Undefined when the schema is not an object with fields. */
export function fieldTable(given: JsonSchema): Markup | undefined {
  const {properties, required = [], additionalProperties} = given as Schema;
  if (properties === undefined) return undefined;
  return html`<table class="fields"><tbody>${rows(properties, {required, isClosed: additionalProperties === false}, '')}</tbody></table>`;
}

/** Marks required fields in bodies that clients write, and optional ones in answers. */
interface Presence {
  readonly required: readonly string[];
  readonly isClosed: boolean;
}

function rows(properties: Readonly<Record<string, Schema>>, {required, isClosed}: Presence, prefix: string): Content {
  return Object.entries(properties).map(([name, schema]) => {
    const path = prefix + name;
    const isRequired = required.includes(name);
    const mark = isClosed ? (isRequired ? undefined : 'not always') : isRequired ? 'required' : undefined;
    return [fieldRow(path, schema, mark), nestedRows(schema, path, isClosed)];
  });
}

/** Fields of an object, or of the objects of a list, whose schema has no name. */
function nestedRows(schema: Schema, path: string, isClosed: boolean): Content {
  if (schema.properties !== undefined)
    return rows(schema.properties, {required: schema.required ?? [], isClosed}, `${path}.`);
  const {items} = schema;
  return items?.properties === undefined
    ? []
    : rows(items.properties, {required: items.required ?? [], isClosed}, `${path}[].`);
}

export function fieldRow(name: string, given: JsonSchema, word?: string, more?: string): Markup {
  const schema = given as Schema;
  const mark =
    word === undefined
      ? undefined
      : html` <span class="mark ${word === 'required' ? word : 'optional'}">${word}</span>`;
  const description = more ?? schema.description;
  return html`<tr><td><code class="name">${name}</code>${mark}</td><td><span class="type">${typeOf(schema)}</span>${
    description === undefined ? undefined : html`<div>${prose(description)}</div>`
  }</td></tr>`;
}

function typeOf(given: JsonSchema): Content {
  const schema = given as Schema;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.anyOf !== undefined && schema.type === undefined) return joined(schema.anyOf.map(typeOf), ' or ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return [
      joined(
        schema.enum.map((one) => html`<code>${String(one)}</code>`),
        ' | ',
      ),
      defaultOf(schema),
    ];
  if (schema.type === 'array')
    return ['list of ', itemsOf(schema.items ?? {}), bounds(schema.minItems, schema.maxItems, 'items')];
  if (schema.type === 'object') return ['object', bounds(undefined, schema.maxProperties, 'keys')];
  return [wordOf(schema), boundsOf(schema), defaultOf(schema)];
}

/** The items of a list, in the plural. */
function itemsOf(items: Schema): Content {
  if (items.properties !== undefined) return 'objects';
  return items.type === 'string' && items.enum === undefined ? 'strings' : typeOf(items);
}

function wordOf({type, format, pattern}: Schema): string {
  if (format === 'date-time') return 'time, ISO 8601';
  if (type === 'string' && pattern?.startsWith('^\\d{4}-\\d\\d-\\d\\d')) return 'time, ISO 8601';
  return type === undefined ? 'anything' : [type].flat().join(' or ');
}

function boundsOf({minimum, maximum, minLength, maxLength}: Schema): string {
  return (
    bounds(minimum, maximum, '') + bounds(maxLength === undefined ? undefined : minLength, maxLength, 'characters')
  );
}

function bounds(from: number | undefined, to: number | undefined, unit: string): string {
  const digits = (value: number): string => value.toLocaleString('en');
  if (to === undefined) return from === undefined || from === 0 ? '' : `, at least ${digits(from)} ${unit}`.trimEnd();
  const least = from === undefined ? 'up to ' : `${digits(from)} to `;
  return from === to ? `, ${digits(to)} ${unit}` : `, ${least}${digits(to)} ${unit}`.trimEnd();
}

const defaultOf = (schema: Schema): Content =>
  schema.default === undefined ? [] : [', otherwise ', html`<code>${String(schema.default)}</code>`];

const joined = (contents: readonly Content[], separator: string): Content =>
  contents.flatMap((content, i) => (i === 0 ? [content] : [separator, content]));
