// Stylesheets of pages. The browser keeps each of them while the dashboard is open, so a rule of one page reaches all others.
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';

/** Folders whose files have styles of their own. */
const homes = ['pages', 'boards', 'reports', 'share', 'webhooks'].map((name) => `dashboard/src/${name}`);
const filesIn = (folder: string, end: string): string[] =>
  readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((path) => path.endsWith(end))
    .map((path) => join(folder, path));
const filesOf = (end: string): string[] => homes.flatMap((home) => filesIn(home, end));
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const textOf = (path: string): string => readFileSync(path, 'utf8');
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!);

/** Classes that begin a rule alone: `.kind`, `.kind strong`, but not `.path-place.kind`. */
const styledIn = (path: string): string[] => found(textOf(path), /(?:^|[{},])\s*\.([\w-]+)(?=[\s,{:>+~[])/gm);

/** Words in the class attributes of a component. */
const usedIn = (path: string): string[] =>
  found(textOf(path), /\b(?:class|look)\s*=\s*("[^"]*"|[{`][^\n]*)/g).flatMap(
    (text) => text.match(/[A-Za-z][\w-]*/g) ?? [],
  );

test('a class that a page styles is used by no page that has nothing of it', () => {
  const shared = new Set(filesIn('dashboard/src/design', '.css').flatMap(styledIn));
  const styles = filesOf('.css');
  const components = filesOf('.tsx');
  const imports = new Map<string, string>();
  for (const path of components) {
    const folder = folderOf(path);
    imports.set(folder, (imports.get(folder) ?? '') + found(textOf(path), /(?:from |import )'([^']+)'/g).join('\n'));
  }
  const reached = styles.flatMap((style) => {
    const own = folderOf(style);
    const classes = new Set(styledIn(style).filter((name) => !shared.has(name)));
    return components
      .filter((path) => folderOf(path) !== own && !imports.get(folderOf(path))!.includes(`/${own.split('/').at(-1)}/`))
      .flatMap((path) =>
        usedIn(path).flatMap((name) => (classes.has(name) ? [`${style} styles .${name} of ${path}`] : [])),
      );
  });
  expect(styles.length).toBeGreaterThan(10);
  expect(reached).toEqual([]);
});

/** Selectors of a stylesheet, one by one. */
const selectorsIn = (path: string): string[] =>
  found(textOf(path).replace(/\/\*[\s\S]*?\*\//g, ''), /([^{};]+)\{/g)
    .flatMap((text) => text.trim().split(/,(?![^(]*\))/))
    .map((text) => text.trim())
    .filter((text) => !/^(@|from$|to$|\d)/.test(text));

const classesOf = (selector: string): string[] => found(selector, /\.([\w-]+)/g);

test('every rule of a page names a class of its own: a rule of shared classes alone styles all pages', () => {
  const shared = new Set(filesIn('dashboard/src/design', '.css').flatMap(selectorsIn).flatMap(classesOf));
  const rules = filesOf('.css').flatMap((path) => selectorsIn(path).map((selector) => ({path, selector})));
  expect(rules.length).toBeGreaterThan(100);
  expect(
    rules
      .filter(({selector}) => classesOf(selector).every((name) => shared.has(name)))
      .map(({path, selector}) => `${path}: ${selector}`),
  ).toEqual([]);
});
