// GET /docs: the description as one page, which loads nothing else: no font, script or style.
//   D1. The policy allows the page's own style and script by their hashes, and nothing else.
import {createHash} from 'node:crypto';
import {statusOf} from '../../failure.js';
import type {DescribedAnswer, DescribedOperation, OpenApiDocument} from '../document.js';
import {type AskedQuestion, questions} from '../questions.js';
import {type Content, html, Markup, paragraphs, prose} from './markup.js';
import {type ExampleRequest, languages, requestOf, requestOfPath} from './requests.js';
import {fieldRow, fieldTable} from './schema-table.js';
import {script} from './script.js';
import {style} from './style.js';

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** D1 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function documentationPage(document: OpenApiDocument): string {
  const places = placesOf(document);
  const tags = (document.tags as {name: string}[]).map(({name}) => name);
  const {title, version} = document.info;
  const prefix = document.servers[0]!.url.replace(/\/$/, '');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="layout">
${navigation(document, tags, places)}
<main id="content">
<h1>${title} API</h1>
<p class="lead">${String(document.info.summary)}</p>
<div class="intro">${paragraphs(String(document.info.description))}
<p>This page is version ${version}, made from <a href="openapi.json">openapi.json</a>. The examples tell one story. In a new service they answer as shown, if they run in this order: write (an event, a batch, traits), read, delete. Each service creates its own ids, keys, cursors, positions, times of receipt and checks of a deletion. Reports follow with the next snapshot (<code>REPORT_REFRESH_SECONDS</code>); the list of keys begins with those of the first start. Set these variables first, and use the ids of deletions and keys that your service answers with:</p></div>
${languageChoice}
${variableBlocks(`http://127.0.0.1:8080${prefix}`)}
${questionSection()}
${tags.map((tag) => section(tag, places, document))}
${errorSection(document)}
${schemaSection(document)}
</main>
</div>
${new Markup(`<script>${script}</script>`)}
</body>
</html>
`;
  return page.text;
}

function placesOf(document: OpenApiDocument): Place[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({method: method.toUpperCase(), path, operation})),
  );
}

const anchorOf = (text: string): string => text.toLowerCase().replace(/\W+/g, '-');

// -- navigation -------------------------------------------------------------------------------------------------------

function navigation({info}: OpenApiDocument, tags: readonly string[], places: readonly Place[]): Markup {
  return html`<nav aria-label="Contents">
<div class="top"><span><a class="brand" href="#content">${info.title}</a><span class="version">${info.version}</span></span>
<label for="menu">Contents</label></div>
<input type="checkbox" id="menu" aria-label="Show the contents">
<div class="contents">
<h2><a href="#questions">Questions</a></h2><ul>${subjects.map((about) => html`<li><a href="#${anchorOf(about)}">${about}</a></li>`)}</ul>
${tags.map((tag) => html`<h2>${tag}</h2><ul>${places.filter((one) => isOf(tag, one)).map(link)}</ul>`)}
<h2>Reference</h2>
<ul><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li><li><a href="openapi.json">openapi.json</a></li></ul>
</div></nav>`;
}

const isOf = (tag: string, {operation}: Place): boolean => operation.tags.includes(tag);

const link = ({method, operation}: Place): Markup =>
  html`<li><a href="#${operation.operationId}">${methodMark(method)}${operation.summary}</a></li>`;

const methodMark = (method: string): Markup =>
  html`<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`;

// -- questions --------------------------------------------------------------------------------------------------------

const subjects = [...new Set(questions.map(({about}) => about))];

/** Recipes, by what one wants to know. */
const questionSection = (): Markup =>
  html`<section><h2 id="questions">Questions</h2>
<p>Requests that answer what people ask of a shop. Put your own dates, events and properties in their place; <code>npm run demo</code> plays a shop with these events over the last 30 days.</p>
${subjects.map((about) => html`<h2 id="${anchorOf(about)}">${about}</h2>${questions.filter((one) => one.about === about).map(recipe)}`)}</section>`;

const recipe = ({question, requests, answer}: AskedQuestion): Markup =>
  html`<article id="${anchorOf(question)}"><h3>${question}</h3><div class="columns"><div><p>${prose(answer)}</p></div>
<div class="sample">${requests.map((request) => requestBlocks(requestOfPath(request)))}</div></div></article>`;

// -- operations -------------------------------------------------------------------------------------------------------

const section = (tag: string, places: readonly Place[], document: OpenApiDocument): Markup =>
  html`<section><h2 id="${anchorOf(tag)}">${tag}</h2>${places.filter((one) => isOf(tag, one)).map((one) => article(one, document))}</section>`;

function article(place: Place, document: OpenApiDocument): Markup {
  const {method, path, operation} = place;
  const {operationId, summary, description} = operation;
  return html`<article id="${operationId}">
<h3>${summary}</h3>
<div class="route"><span class="method ${method.toLowerCase()}">${method}</span><span>${path}</span></div>
<ul class="access">${accessOf(operation).map((word) => html`<li>${word}</li>`)}</ul>
<div class="columns"><div>
${description === undefined ? undefined : html`<p>${prose(description)}</p>`}
${parameterTable(operation)}
${bodyFields(operation, document)}
<h4>Answers</h4>
<ul class="answers">${Object.entries(operation.responses).map(([status, answer]) => answerLine(status, answer))}</ul>
</div><div class="sample">
<h4>Request</h4>${requestBlocks(requestOf(method, path, operation))}
${exampleAnswer(operation)}
</div></div>
</article>`;
}

const accessWords: Readonly<Record<string, string>> = {
  writeKey: 'write key',
  writeKeyInQuery: '?write_key= (beacons)',
  writeKeyAsName: 'Basic key:',
  secretKey: 'secret key',
  readKey: 'read key',
  adminToken: 'admin token',
};

function accessOf({security}: DescribedOperation): string[] {
  const schemes = security.flatMap((one) => Object.keys(one));
  return schemes.length === 0 ? ['no key'] : schemes.map((name) => accessWords[name]!);
}

function parameterTable({parameters = []}: DescribedOperation): Content {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(({name, in: place, schema, required, description}) =>
    fieldRow(
      place === 'path' ? `{${name}}` : name,
      schema,
      required ? 'required' : undefined,
      `${description}${place === 'header' ? ' (header)' : ''}`,
    ),
  );
  return html`<h4>Parameters</h4><table class="fields"><tbody>${rows}</tbody></table>`;
}

function bodyFields({requestBody}: DescribedOperation, {components}: OpenApiDocument): Content {
  if (requestBody === undefined) return undefined;
  const types = Object.keys(requestBody.content);
  const name = nameOf(Object.values(requestBody.content)[0]!.schema);
  return html`<h4>Body</h4><div class="body"><a href="#schema-${name}">${name}</a> as ${types.join(' or ')}</div>
${fieldTable(components.schemas![name]!)}`;
}

function answerLine(status: string, {description, headers = {}, content}: DescribedAnswer): Markup {
  const kind = status < '400' ? 'ok' : status >= '500' ? 'fault' : 'refused';
  const names = Object.keys(headers).filter((name) => isWorthSaying(name, status));
  const schema = content?.['application/json']?.schema;
  const body =
    status < '400' && schema !== undefined && '$ref' in schema
      ? html` <a href="#schema-${nameOf(schema)}">${nameOf(schema)}</a>`
      : undefined;
  return html`<li><span class="status ${kind}">${status}</span><div>${prose(description)}${body}${
    names.length === 0 ? undefined : html`<div class="headers">${names.join(', ')}</div>`
  }</div></li>`;
}

/** Leaves out headers on nearly every answer: those of browsers and caches, ids, and rate fields of refusals other than 429. */
const isWorthSaying = (name: string, status: string): boolean =>
  !['X-Content-Type-Options', 'Cache-Control', 'X-Request-Id'].includes(name) &&
  !name.startsWith('Access-Control-') &&
  (!name.startsWith('RateLimit') || status < '400' || status === '429');

const nameOf = (schema: Readonly<Record<string, unknown>>): string => String(schema.$ref).split('/').at(-1)!;

function exampleAnswer({responses}: DescribedOperation): Content {
  const shown = Object.entries(responses).find(
    ([, answer]) => answer.content?.['application/json']?.example !== undefined,
  );
  if (shown === undefined) return undefined;
  const {example} = shown[1].content!['application/json']!;
  return html`<h4>Answer, ${shown[0]}</h4>${block(JSON.stringify(example, null, 2))}`;
}

const block = (content: Content): Markup => html`<div class="block"><pre>${content}</pre></div>`;

// -- languages --------------------------------------------------------------------------------------------------------

/** One choice for all examples: the style shows those of the chosen language, without a script. */
const languageChoice = html`<fieldset class="languages"><legend>Language of the examples</legend>${languages.map(
  ({name, word}, i) =>
    html`<input type="radio" name="language" id="in-${word}"${i === 0 ? new Markup(' checked') : undefined}><label for="in-${word}">${name}</label>`,
)}</fieldset>`;

const inLanguage = (word: string, content: Content): Markup => html`<div class="in ${word}">${block(content)}</div>`;

const requestBlocks = (request: ExampleRequest): Markup =>
  html`<div class="request">${languages.map((language) => inLanguage(language.word, language.requestOf(request)))}</div>`;

function variableBlocks(base: string): Markup {
  const shown = html`<span class="base">${base}</span>`;
  return html`${inLanguage(
    'curl',
    html`BASE=${shown}
WRITE_KEY=sk_write_…      # browsers and apps: may track and identify
SECRET_KEY=sk_live_…      # servers only: may do everything except manage keys (sk_read_…: may only read)
ADMIN_TOKEN=…             # the operator: ADMIN_TOKEN, or the file admin-token in DATA_DIR`,
  )}${inLanguage(
    'javascript',
    html`const BASE = '${shown}';
const WRITE_KEY = 'sk_write_…';     // browsers and apps: may track and identify
const SECRET_KEY = 'sk_live_…';     // servers only: may do everything except manage keys (sk_read_…: may only read)
const ADMIN_TOKEN = '…';            // the operator: ADMIN_TOKEN, or the file admin-token in DATA_DIR`,
  )}${inLanguage(
    'python',
    html`import json, urllib.parse, urllib.request
BASE = '${shown}'
WRITE_KEY = 'sk_write_…'      # browsers and apps: may track and identify
SECRET_KEY = 'sk_live_…'      # servers only: may do everything except manage keys (sk_read_…: may only read)
ADMIN_TOKEN = '…'             # the operator: ADMIN_TOKEN, or the file admin-token in DATA_DIR`,
  )}`;
}

// -- reference --------------------------------------------------------------------------------------------------------

interface CodeSchema {
  readonly properties: {readonly code: Readonly<Record<string, Readonly<Record<string, string>>>>};
}

function errorSection({components}: OpenApiDocument): Markup {
  const {code} = (components.schemas!.ErrorValue as unknown as CodeSchema).properties;
  const statusOfCode = (name: string): string => statusOf[name as keyof typeof statusOf].slice(0, 3);
  const rows = Object.entries(code['x-enumDescriptions']!)
    .sort(([a], [b]) => Number(statusOfCode(a)) - Number(statusOfCode(b)))
    .map(
      ([name, meaning]) =>
        html`<tr><td><code class="name">${name}</code></td><td>${statusOfCode(name)}</td><td class="why">${prose(meaning)}</td></tr>`,
    );
  return html`<section><h2 id="errors">Errors</h2>
<table class="errors"><thead><tr><th>code</th><th>status</th><th>what it means</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

function schemaSection({components}: OpenApiDocument): Markup {
  const articles = Object.entries(components.schemas!).map(
    ([name, schema]) => html`<article id="schema-${name}"><h3>${name}</h3>${fieldTable(schema)}</article>`,
  );
  return html`<section><h2 id="schemas">Schemas</h2><div class="schemas">${articles}</div></section>`;
}
