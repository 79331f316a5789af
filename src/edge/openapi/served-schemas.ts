// Schemas as /openapi.json has them: what a program reads, once.
//   SS1. What tests hold answers against is left out: bounds of answers, patterns beside a format, the type of a constant and of
//        listed texts, and that an object has no other members. The introduction says which bodies may have others. So are the
//        meanings of codes: the page of /docs has them.
//   SS2. A schema that has all members of a named one refers to it, and has the others beside.
//   SS3. Parts that repeat are components. A parameter of a query that means what a member of a question does has its schema.
import type {JsonSchema} from '../query/query.js';
import {type Components, mapValues, Shared} from './shared.js';

/** The schema with its parts changed. `at`: name of the member that a part describes. */
function withParts(schema: JsonSchema, change: (part: JsonSchema, at: string) => JsonSchema): JsonSchema {
  return mapValues(schema, (value, keyword) => {
    if (typeof value !== 'object' || value === null) return value;
    if (keyword === 'properties') return mapValues(value as Components, change);
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword))
      return (value as readonly JsonSchema[]).map((part, i) => change(part, String(i + 1)));
    return ['items', 'additionalProperties', 'not'].includes(keyword) ? change(value as JsonSchema, keyword) : value;
  });
}

// -- SS1 --

const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'propertyNames'];

const isOfTexts = (list: unknown): boolean => Array.isArray(list) && list.every((value) => typeof value === 'string');

/** Keywords in the order of their names: what means the same has the same text. */
function plain(schema: JsonSchema, isOfAnswers: boolean): JsonSchema {
  const isLeftOut = (keyword: string): boolean =>
    (keyword === 'additionalProperties' && schema[keyword] === false) ||
    (keyword === 'pattern' && schema.format !== undefined) ||
    (keyword === 'type' && ('const' in schema || isOfTexts(schema.enum))) ||
    keyword === 'readOnly' ||
    keyword === 'x-enumDescriptions' ||
    (isOfAnswers && bounds.includes(keyword));
  const kept = Object.entries(schema).filter(([keyword]) => !isLeftOut(keyword));
  return withParts(Object.fromEntries(kept.sort(byName)), (part) => plain(part, isOfAnswers));
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

// -- SS2 --

interface ObjectSchema extends JsonSchema {
  readonly properties: Components;
  readonly required?: readonly string[];
}

const isObject = (schema: JsonSchema): schema is ObjectSchema => schema.type === 'object' && 'properties' in schema;

type Base = readonly [name: string, schema: ObjectSchema];

/** What is shorter takes as much as a reference to it and what that needs around it. */
const baseCharsMin = 130;

/** `candidates`: bases that it may have itself; its parts may have any. */
function extending(schema: JsonSchema, bases: readonly Base[], candidates = bases): JsonSchema {
  const found = isObject(schema) ? candidates.filter(([, base]) => hasAllOf(schema, base)) : [];
  const [name, base] = found.sort(([, one], [, other]) => charsOf(other) - charsOf(one))[0] ?? [];
  if (!isObject(schema) || base === undefined) return withParts(schema, (part) => extending(part, bases));
  const {properties, required = [], type, ...about} = schema;
  const own = required.filter((member) => !base.required?.includes(member));
  const isOwn = (member: string): boolean => !(member in base.properties) || own.includes(member);
  const others = {
    properties: Object.fromEntries(Object.entries(properties).filter(([member]) => isOwn(member))),
    ...(own.length > 0 && {required: own}),
    type,
  };
  return {...about, allOf: [{$ref: `#/components/schemas/${name}`}, extending(others, bases, found.slice(1))]};
}

const charsOf = (schema: JsonSchema): number => JSON.stringify(schema).length;

/** Whether the schema has every member of the base, and more, or requires more. */
function hasAllOf({properties, required = []}: ObjectSchema, base: ObjectSchema): boolean {
  const isSame = ([member, one]: [string, JsonSchema]): boolean =>
    JSON.stringify(properties[member]) === JSON.stringify(one);
  const hasMore =
    Object.keys(properties).length > Object.keys(base.properties).length ||
    required.length > (base.required ?? []).length;
  return (
    hasMore &&
    Object.entries(base.properties).every(isSame) &&
    (base.required ?? []).every((member) => required.includes(member))
  );
}

// -- SS3 --

/** Makes the components of schemas, and the schemas of parameters. */
export class ServedSchemas {
  private readonly parts: Shared;
  private readonly schemas: Components;

  /** `ofAnswers`: names of those that answers alone have. `from`: what refers to the ones that are served. */
  constructor(schemas: Components, ofAnswers: ReadonlySet<string>, from: object) {
    const all = mapValues(schemas, (schema, name) => plain(schema, ofAnswers.has(name)));
    const bases = Object.entries(all).filter(
      (one): one is [string, ObjectSchema] => isObject(one[1]) && charsOf(one[1]) > baseCharsMin,
    );
    this.schemas = reached(
      mapValues(all, (schema) => extending(schema, bases)),
      from,
    );
    this.parts = new Shared('schemas', {...this.schemas});
    for (const schema of Object.values(this.schemas)) this.note(schema);
  }

  /** The schema of a parameter, if it is that of a member of a question. Each different one is asked for once, before `components`. */
  ofParameter(schema: JsonSchema, description: string): JsonSchema | undefined {
    const described = plain({...schema, description}, false);
    if (!this.parts.isKnown(described)) return undefined;
    this.parts.note(described);
    return described;
  }

  /** What `ofParameter` returned, as it stands in the document. */
  reference(schema: JsonSchema, name: string): JsonSchema {
    return this.shared(schema, name);
  }

  components(): Components {
    for (const [name, schema] of Object.entries(this.schemas))
      this.parts.components[name] = withParts(schema, (part, at) => this.shared(part, nameOf(name, at)));
    return this.parts.components;
  }

  /** Notes the parts of a schema; those of a part that was noted before are noted with it. */
  private note(schema: JsonSchema): void {
    withParts(schema, (part) => {
      if (this.parts.note(part)) this.note(part);
      return part;
    });
  }

  private shared(part: JsonSchema, name: string): JsonSchema {
    const made = (): JsonSchema => withParts(part, (inner, at) => this.shared(inner, nameOf(name, at)));
    return this.parts.shared(part, name, made) as JsonSchema;
  }
}

/** The schemas that are referred to, directly or by another one. */
function reached(schemas: Components, from: object): Components {
  const found = new Set<string>();
  const visit = (one: object): void => {
    for (const [, name] of JSON.stringify(one).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      visit(schemas[name!]!);
    }
  };
  visit(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/** The nearest member that a part belongs to. */
const nameOf = (place: string, at: string): string => (/^\d+$|^items$|^additionalProperties$/.test(at) ? place : at);
