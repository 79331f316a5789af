// Tables of the documents that are made of the sources: members in docs/api, of the description of the API, and variables in
// docs/configuration.md. `npm run docs` writes them.
//   D1. A page has a table between `<!-- members: NAME … -->` and `<!-- /members -->`. A name is that of a schema of /openapi.json, or
//       `common`. Several schemas, or the variants of one, share a table that says which of them have a member.
//   D2. What the table of common members says, no other table of a question repeats: it names these members below. Nor does a table say
//       twice what members of one name mean: the least nested one has the row.
//   D3. Members that tell variants apart have no row: the page introduces the variants. Nor have parts of a member whose form says all.

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {withVariables} from './configuration.mjs';
import {inProject, runScript} from './project.mjs';
import {setUp} from './setup.mjs';

const common = 'common';
const commonMembers = ['range', 'timezone', 'interval', 'week_start', 'compare', 'where', 'users', 'breakdown'];
const ofCommon = {schema: 'CountsQuestion', page: 'docs/api/reports/README.md', anchor: 'common-members'};

/** Members whose one value names the variant of a schema. */
const tellingApart = ['report', 'kind'];
/** The tables call a text of 1 to this number of characters a name. */
const nameCharsMax = 256;
/** Larger bounds keep numbers finite, and say nothing. */
const boundShownMax = 1e9;

const tables = /(<!-- members: ([^>]+) -->\n)[\s\S]*?(<!-- \/members -->)/g;

/** The page with its tables as the description has them. `path`: from the project's folder. */
export const withMembers = (path, page, description) =>
  page.replace(tables, (_, begin, names, end) => `${begin}\n${tableOf(names.split(' '), path, description)}\n${end}`);

/** Names of the schemas that a page has tables of. */
export const tabled = (page) => [...page.matchAll(tables)].flatMap(([, , names]) => names.split(' '));

function tableOf(names, path, {components: {schemas}}) {
  const known = new Schemas(schemas);
  const isCommon = names[0] === common;
  const variants = (isCommon ? [ofCommon.schema] : names).flatMap((name) => known.variants(name));
  const all = variants.flatMap(({kind, schema}) => known.members(schema, kind));
  const shared = new Set(
    known
      .members(known.named(ofCommon.schema))
      .filter(ofCommonMember)
      .map(({path: at, text}) => lastOf(at) + text),
  );
  const isQuestion = names.every((name) => name.endsWith('Question'));
  const isRepeated = ({path: at, text}) => isQuestion && shared.has(lastOf(at) + text);
  const shown = leastNested(all.filter((member) => (isCommon ? ofCommonMember(member) : !isRepeated(member))));
  const kinds = isCommon ? [] : variants.map(({kind}) => kind).filter((kind) => kind !== undefined);
  const columns = kinds.length > 1 ? ['Member', 'Of', 'Value', 'Meaning'] : ['Member', 'Value', 'Meaning'];
  const rows = merged(shown).map(({path: at, of, value, meaning}) => {
    return [`\`${at}\``, ...(kinds.length > 1 ? [whose(of, kinds)] : []), value, meaning];
  });
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  const table = [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)];
  const left = isCommon ? [] : [...new Set(all.filter(isRepeated).map(({path: at}) => at))].filter(isTop);
  return [...table, ...(left.length === 0 ? [] : ['', alsoLine(left, path)]), ''].join('\n');
}

const isTop = (path) => !/[.[]/.test(path);
const lastOf = (path) => path.slice(path.lastIndexOf('.') + 1);
const ofCommonMember = ({path}) => commonMembers.includes(path.split(/[.[]/)[0]);
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const inCode = (words) => words.map((word) => `\`${word}\``).join(', ');

function whose(of, kinds) {
  const others = kinds.filter((kind) => !of.includes(kind));
  if (others.length === 0) return 'all';
  return others.length < of.length ? `all but ${inCode(others)}` : inCode(of);
}

function alsoLine(members, path) {
  const above = path.startsWith('docs/api/reports/') ? 'README.md' : 'reports/README.md';
  return `Also ${inCode(members)}: [common members](${path === ofCommon.page ? '' : above}#${ofCommon.anchor}).`;
}

const depthOf = ({path}) => path.split('.').length;

/** Without members whose name and meaning a less nested one has, or an earlier one. */
function leastNested(members) {
  const first = new Map();
  for (const member of members) {
    const key = lastOf(member.path) + member.text;
    if (!first.has(key) || depthOf(member) < depthOf(first.get(key))) first.set(key, member);
  }
  return members.filter(({path, text}) => path === first.get(lastOf(path) + text).path);
}

/** Members of the same path and schema are one row, of all kinds that have it. */
function merged(members) {
  const rows = new Map();
  for (const {path, text, kind, ...row} of members) {
    const key = path + text;
    if (!rows.has(key)) rows.set(key, {path, of: [], ...row});
    if (kind !== undefined) rows.get(key).of.push(kind);
  }
  return [...rows.values()];
}

/** The schemas of the description. */
class Schemas {
  constructor(schemas) {
    this.schemas = schemas;
  }

  named(name) {
    if (!(name in this.schemas)) throw new Error(`the description has no schema ${name}`);
    return this.schemas[name];
  }

  /** The schema without its reference; what stands beside the reference wins. */
  resolved({$ref, ...schema}) {
    return $ref === undefined ? schema : {...this.resolved(this.named($ref.split('/').at(-1))), ...schema};
  }

  /** The objects that a schema allows, each with the word that tells it apart. */
  variants(name) {
    const schema = this.resolved(this.named(name));
    return (schema.oneOf ?? schema.anyOf ?? [schema]).map((one) => {
      const variant = this.resolved(one);
      const told = tellingApart.map((member) => variant.properties[member]?.const).find((kind) => kind !== undefined);
      return {kind: told, schema: variant};
    });
  }

  /** Members of an object, and of the objects in it. `text` is the same for members that mean the same. */
  members({properties, required = []}, kind, prefix = '') {
    return Object.entries(properties).flatMap(([name, given]) => {
      const schema = this.resolved(given);
      if (prefix === '' && tellingApart.includes(name) && schema.const !== undefined) return []; // D3
      const path = prefix + name;
      const isRequired = required.includes(name) && schema.default === undefined;
      const value = this.valueOf(given) + (isRequired ? ', required' : '');
      const meaning = schema.description ?? '';
      const [inner, isList] = [this.objectIn(schema), this.nonNull(schema).type === 'array'];
      const within = inner === undefined ? [] : this.members(inner, kind, `${path}${isList ? '[]' : ''}.`);
      const told = within.filter((part) => part.meaning !== '' || part.value.startsWith('`')); // D3
      return [{path, value, meaning, text: value + meaning, kind}, ...told];
    });
  }

  /** The schema without the alternative null. */
  nonNull(schema) {
    const alternatives = (schema.anyOf ?? []).filter(({type}) => type !== 'null');
    if (alternatives.length !== 1) return schema;
    const {anyOf: _, ...rest} = schema;
    return {...this.resolved(alternatives[0]), ...rest};
  }

  /** The object that a member is, or a list of. Undefined: none, or a choice of events, which the page of reports explains. */
  objectIn(schema) {
    const given = this.nonNull(schema).type === 'array' ? (this.nonNull(schema).items ?? {}) : schema;
    const inner = this.nonNull(this.resolved(given));
    const isChoice = Object.keys(inner.properties ?? {}).join() === 'event,where';
    return inner.properties === undefined || isChoice ? undefined : inner;
  }

  valueOf(given) {
    if (given.$ref?.endsWith('/Condition')) return 'condition';
    const schema = this.nonNull(this.resolved(given));
    const preset = [undefined, false].includes(schema.default) ? '' : `, default \`${schema.default}\``;
    return this.formOf(schema) + preset;
  }

  formOf(schema) {
    const {type, minLength, maxLength, minimum, maximum} = schema;
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives !== undefined) {
      const forms = alternatives.filter((one) => one.type !== 'null').map((one) => this.valueOf(one));
      return [...new Set(forms)].join(' or ');
    }
    if (schema.const !== undefined) return `\`${schema.const}\``;
    if (schema.enum !== undefined) return inCode(schema.enum);
    if (schema.prefixItems !== undefined)
      return `\`[${schema.prefixItems.map((one) => this.valueOf(one)).join(', ')}]\``;
    if (type === 'array')
      return `list of ${count(schema.minItems, schema.maxItems)}${this.itemsOf(schema.items ?? {})}`;
    if (schema.properties?.report?.const !== undefined) return 'question';
    if (schema.properties !== undefined) return `\`{${Object.keys(schema.properties).join(', ')}}\``;
    if (type === 'object') return `object, ${count(undefined, schema.maxProperties)}keys`;
    if (type === 'boolean') return 'flag';
    if (type === 'integer' || type === 'number') return numberForm(type, minimum, maximum);
    if (/^\^\\d\{4\}-/.test(schema.pattern ?? '') || schema.format === 'date-time') return 'time';
    if (minLength === 1 && maxLength === nameCharsMax) return 'name';
    return maxLength === undefined ? 'text' : `text, ${count(minLength, maxLength)}characters`;
  }

  itemsOf(items) {
    const form = this.valueOf(items);
    return ['condition', 'text', 'name', 'time', 'question'].includes(form) ? `${form}s` : form;
  }
}

const digits = (number) => number.toLocaleString('en');

function count(from, to) {
  if (to === undefined) return '';
  return from === undefined || from === 0 ? `up to ${digits(to)} ` : `${digits(from)} to ${digits(to)} `;
}

function numberForm(type, minimum, maximum) {
  const word = type === 'integer' ? 'whole number' : 'number';
  if (maximum === undefined || maximum > boundShownMax) return minimum === 0 ? `${word}, at least 0` : word;
  const range = `${digits(minimum)} to ${digits(maximum)}`;
  return type === 'integer' ? range : `number, ${range}`;
}

/** Pages of docs/api, by their path in the project. */
export const apiPages = () =>
  readdirSync(inProject('docs/api'), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/api/${name}`)
    .sort();

function rewrite(path, change) {
  const page = readFileSync(inProject(path), 'utf8');
  const changed = change(page);
  if (changed === page) return;
  writeFileSync(inProject(path), changed);
  console.log(`${path}: tables written`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runScript(async () => {
    await setUp({needsNatsServer: false});
    const description = JSON.parse(readFileSync(inProject('dist/schemas.json'), 'utf8'));
    for (const path of apiPages()) rewrite(path, (page) => withMembers(path, page, description));
    rewrite('docs/configuration.md', withVariables);
  });
