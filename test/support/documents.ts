// The documents of the project.
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Markdown pages for readers, by their path from the root: those beside README.md, and docs/ with its folders. */
export const documents: readonly string[] = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs'), {recursive: true, encoding: 'utf8'}).map((name) => `docs/${name}`),
]
  .filter((path) => path.endsWith('.md'))
  .sort();
