// Weights of the pages: the build fails above their budgets. Sizes are those of the files as gzip sends them.
//   BU1. The first view is what shows Overview's frame: the page, its script and style, icons, mark, worker.
//   BU2. The first page is Overview, whole, as a browser without a cache loads it: with the font, and what it loads later.
//   BU3. Every other script, with its style, is one request for all pages of its kind: few of them, none of them large.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import type {Plugin, Rolldown} from 'vite';

const firstViewBytesMax = 64_000;
const firstPageBytesMax = 150_000;
const scriptBytesMax = 45_000;
const scriptsMax = 8;

/** The script that Overview loads later (vite.config.ts). */
const startName = 'start';

interface Weight {
  readonly name: string;
  readonly bytes: number;
  readonly bytesMax: number;
  readonly files: readonly string[];
}

/** Files that the first view loads by their names alone. */
const namedFiles = ['index.html', 'mark.svg', 'assets/icons.svg'];

/** Files by the script that loads them. */
export function weightsOf(chunks: readonly Rolldown.OutputChunk[], bytesOf: (file: string) => number): Weight[] {
  const known = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const withStyle = ({fileName, viteMetadata}: Rolldown.OutputChunk): string[] => [
    fileName,
    ...(viteMetadata?.importedCss ?? []),
  ];
  const closure = (chunk: Rolldown.OutputChunk, into = new Set<string>()): Set<string> => {
    if (into.has(chunk.fileName)) return into;
    for (const file of withStyle(chunk)) into.add(file);
    for (const next of chunk.imports) if (known.has(next)) closure(known.get(next)!, into);
    return into;
  };
  const weightOf = (name: string, files: readonly string[], bytesMax: number): Weight => ({
    name,
    bytes: files.reduce((all, file) => all + bytesOf(file), 0),
    bytesMax,
    files,
  });
  const entry = chunks.find(({isEntry}) => isEntry)!;
  const start = chunks.find(({name}) => name === startName)!;
  const first = [...closure(entry), ...assetsOf(entry, '.js'), ...namedFiles];
  const page = [...new Set([...first, ...closure(start), ...assetsOf(entry, '.woff2')])];
  const others = chunks.filter(({fileName}) => !page.includes(fileName));
  return [
    weightOf('the first view', first, firstViewBytesMax), // BU1
    weightOf('the first page', page, firstPageBytesMax), // BU2
    ...others.map((chunk) => weightOf(chunk.name, withStyle(chunk), scriptBytesMax)), // BU3
  ];
}

const assetsOf = ({viteMetadata}: Rolldown.OutputChunk, ending: string): string[] =>
  [...(viteMetadata?.importedAssets ?? [])].filter((file) => file.endsWith(ending));

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
      if (process.env.DASHBOARD_WEIGHTS !== undefined) {
        for (const {name, bytes, files} of weights) console.log(`${name}: ${bytes} bytes, ${files.length} files`);
      }
      const words = weights
        .filter(({bytes, bytesMax}) => bytes > bytesMax)
        .map(({name, bytes, bytesMax}) => `${name} has ${bytes} bytes of gzip, ${bytesMax} are allowed`);
      if (chunks.length > scriptsMax) words.push(`there are ${chunks.length} scripts, ${scriptsMax} are allowed`);
      if (words.length === 0) return;
      this.error(`the dashboard is over its budget: ${words.join('; ')} (dashboard/budget.ts)`);
    },
  };
}
