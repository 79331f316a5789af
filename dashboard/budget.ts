// Weights of the pages: the build fails above their budgets. Sizes are those of the files as gzip sends them, without the font, which
// comes after the text is there.
//   BU1. The first view is Overview as a browser without a cache loads it: the page, its script and style, icons, mark, worker.
//   BU2. Any other page adds at most `pageBytesMax`, with all that only it needs.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import type {Plugin, Rolldown} from 'vite';

const firstViewBytesMax = 64_000;
export const pageBytesMax = 15_000;

interface Weight {
  readonly name: string;
  readonly bytes: number;
  readonly bytesMax: number;
  readonly files: readonly string[];
}

/** Files that the first view loads by their names alone. */
const namedFiles = ['index.html', 'mark.svg', 'assets/icons.svg'];

/** Files by the chunk that loads them. */
export function weightsOf(chunks: readonly Rolldown.OutputChunk[], bytesOf: (file: string) => number): Weight[] {
  const known = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const closure = (file: string, into = new Set<string>()): Set<string> => {
    const chunk = known.get(file);
    if (chunk === undefined || into.has(file)) return into;
    into.add(file);
    for (const css of chunk.viteMetadata?.importedCss ?? []) into.add(css);
    for (const next of chunk.imports) closure(next, into);
    return into;
  };
  const sum = (files: readonly string[]): number => files.reduce((all, file) => all + bytesOf(file), 0);
  const entry = chunks.find(({isEntry}) => isEntry)!;
  const first = [...closure(entry.fileName), ...workersOf(entry), ...namedFiles];
  const others = chunks.filter(({isDynamicEntry}) => isDynamicEntry);
  return [
    {name: 'first view', bytes: sum(first), bytesMax: firstViewBytesMax, files: first}, // BU1
    ...others.map(({name, fileName}) => {
      const files = [...closure(fileName)].filter((file) => !first.includes(file));
      return {name, bytes: sum(files), bytesMax: pageBytesMax, files}; // BU2
    }),
  ];
}

const workersOf = ({viteMetadata}: Rolldown.OutputChunk): string[] =>
  [...(viteMetadata?.importedAssets ?? [])].filter((file) => file.endsWith('.js'));

export function budget(out: string): Plugin {
  let chunks: Rolldown.OutputChunk[] = [];
  return {
    name: 'budget',
    generateBundle: {
      order: 'post', // Vite drops chunks that are nothing but style before.
      handler(_, bundle) {
        chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
      },
    },
    closeBundle() {
      const bytesOf = (file: string): number => gzipSync(readFileSync(join(out, file)), {level: 9}).length;
      const weights = weightsOf(chunks, bytesOf);
      const heavy = weights.filter(({bytes, bytesMax}) => bytes > bytesMax);
      if (process.env.DASHBOARD_WEIGHTS !== undefined) {
        for (const {name, bytes, files} of weights) console.log(`${name}: ${bytes} bytes, ${files.length} files`);
      }
      if (heavy.length === 0) return;
      const words = heavy.map(
        ({name, bytes, bytesMax}) => `${name} has ${bytes} bytes of gzip, ${bytesMax} are allowed`,
      );
      this.error(`the dashboard is over its budget: ${words.join('; ')} (dashboard/budget.ts)`);
    },
  };
}
