// The documents as texts: tables that are made of the sources, links, and paths. What their commands do is tested in readme.test.ts.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {withVariables} from '../scripts/configuration.mjs';
import {apiPages, tabled, withMembers} from '../scripts/documents.mjs';
import {kinds} from '../src/asks/question/kinds.js';
import {descriptionFiles} from '../src/edge/description.js';
import {nameOfKind, schemaName} from '../src/edge/openapi/schemas.js';
import {resources} from '../src/edge/resources/all.js';
import {documents, root} from './support/documents.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const stale = 'a table is stale: npm run docs writes it';

describe('tables that are made of the sources', () => {
  const description = JSON.parse(descriptionFiles()['schemas.json']!);

  test.each(apiPages())('%s is as npm run docs writes it', (path) => {
    expect(read(path), stale).toBe(withMembers(path, read(path), description));
  });

  test('docs/configuration.md is as npm run docs writes it', () => {
    expect(read('docs/configuration.md'), stale).toBe(withVariables(read('docs/configuration.md')));
  });

  test('each report, each list and each kind of thing that people keep has one', () => {
    const kept = resources.map((one) => `New${schemaName(one)}`);
    const all = [...Object.keys(kinds).map(nameOfKind), ...kept, 'Event', 'Identify', 'KeyOptions', 'common'];
    expect(
      apiPages()
        .flatMap((path) => tabled(read(path)))
        .sort(),
    ).toEqual(all.sort());
  });

  test('a stale one is noticed, and a schema that is not there', () => {
    const page = '<!-- members: Event -->\nold\n<!-- /members -->\n';
    expect(withMembers('docs/api/events.md', page, description)).toContain('| `userId` |');
    const unknown = page.replace('Event', 'Evnt');
    expect(() => withMembers('docs/api/events.md', unknown, description)).toThrow('no schema Evnt');
  });
});

test('no cell of a table about the API is longer than 300 characters', () => {
  const cells = apiPages().flatMap((path) =>
    [...read(path).matchAll(/^\|(.*)\|$/gm)].flatMap(([, row]) => row!.split(/(?<!\\)\|/).map((cell) => cell.trim())),
  );
  expect(cells.length).toBeGreaterThan(300);
  expect(cells.filter(({length}) => length > 300)).toEqual([]);
});

const headingsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(documents)('%s', (page) => {
  test('its links lead to files and headings that are there', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path, heading]) => {
      const target = path === '' ? page : join(dirname(page), path!);
      return !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test('the files and folders of ours that it names are there', () => {
    const named = read(page).matchAll(
      /`((?:actors|bench|dashboard|docs|examples|kernels|ops|reliability|scripts|src|test|tools)\/[^`\s*{]*)`/g,
    );
    const made = /^bench\/results\/?$/; // By a run.
    expect(
      [...named].map(([, path]) => path!).filter((path) => !made.test(path) && !existsSync(join(root, path))),
    ).toEqual([]);
  });
});

test('the documents that sources and the READMEs of folders name are there', () => {
  const folders = ['actors', 'bench', 'dashboard/src', 'ops', 'packages', 'scripts', 'src', 'test', 'tools'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), {recursive: true, encoding: 'utf8'})
      .filter((name) => /\.(tsx?|mjs|json|md)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => [file, path]),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([, path]) => !existsSync(join(root, path!)))).toEqual([]);
});
