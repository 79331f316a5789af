// `npm run census`: counts the concepts of the core by folder; `npm run census -- COMMIT` also those of a commit.
//   Lines, classes and exported names; invariants that a file header numbers; arrows between the rooms of a folder (one
//   room imports another), and pairs of rooms that import each other, of which one arrow leads upwards.
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {inProject, projectRoot} from '../../scripts/project.mjs';

const core = ['actors', 'kernels', 'src/partition', 'src/parts', 'src/report', 'src/nats', 'src/pacing'];
const git = (...args) => execFileSync('git', args, {cwd: projectRoot, encoding: 'utf8', maxBuffer: 1 << 28});

/** Sources by path: of a commit, or without one of the working tree. */
function sourcesOf(commit) {
  const from =
    commit === undefined ? ['ls-files', '--', ...core] : ['ls-tree', '-r', '--name-only', commit, '--', ...core];
  const paths = git(...from)
    .split('\n')
    .filter((path) => path.endsWith('.ts'));
  const textOf = (path) =>
    commit === undefined ? readFileSync(inProject(path), 'utf8') : git('show', `${commit}:${path}`);
  return new Map(paths.map((path) => [path, textOf(path)]));
}

/** Room of a file: its sub-folder with everything below it, or the file itself. */
function roomOf(path, folder) {
  const inside = path.slice(folder.length + 1);
  return inside.includes('/') ? inside.slice(0, inside.lastIndexOf('/')) : inside;
}

function targetsOf(path, text) {
  return [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, to]) => `${normalize(join(dirname(path), to))}.ts`);
}

/** Arrows between rooms; `up`: those of a pair of rooms that import each other, counted once. */
function arrowsOf(folder, files) {
  const arrows = new Set();
  for (const [path, text] of files)
    for (const target of targetsOf(path, text)) {
      if (!target.startsWith(`${folder}/`)) continue;
      const [from, to] = [roomOf(path, folder), roomOf(target, folder)];
      if (from !== to) arrows.add(`${from} > ${to}`);
    }
  const up = [...arrows].filter((arrow) => arrows.has(arrow.split(' > ').reverse().join(' > '))).length / 2;
  return {arrows: arrows.size, up};
}

const count = (files, pattern) => files.reduce((sum, [, text]) => sum + (text.match(pattern)?.length ?? 0), 0);

function rowOf(folder, sources) {
  const files = [...sources].filter(([path]) => path.startsWith(`${folder}/`));
  return {
    files: files.length,
    lines: count(files, /\n/g),
    classes: count(files, /^(export )?(abstract )?class /gm),
    exports: count(files, /^export (async )?(abstract )?(const|class|function\*?|interface|type) /gm),
    invariants: count(files, /^\/\/ {3}[A-Z]{1,3}\d+\. /gm),
    ...arrowsOf(folder, files),
  };
}

function census(commit) {
  const sources = sourcesOf(commit);
  const rows = core.map((folder) => [folder, rowOf(folder, sources)]);
  const total = {};
  for (const [, row] of rows) for (const [name, value] of Object.entries(row)) total[name] = (total[name] ?? 0) + value;
  // State fields of the loop.
  const loop = sources.get('src/partition/runner.ts') ?? '';
  const flags = (loop.match(/^ {2}(private )?is[A-Z]\w*\b[^(\n]*;$/gm) ?? []).length;
  return {rows: [...rows, ['all', total]], flags};
}

const columns = ['files', 'lines', 'classes', 'exports', 'invariants', 'arrows', 'up'];
for (const commit of [...process.argv.slice(2), undefined]) {
  const {rows, flags} = census(commit);
  console.log(`${commit ?? 'now'} (state flags of the loop: ${flags})`);
  console.log(['folder'.padEnd(14), ...columns.map((name) => name.padStart(10))].join(''));
  for (const [folder, row] of rows)
    console.log([folder.padEnd(14), ...columns.map((name) => String(row[name]).padStart(10))].join(''));
}
