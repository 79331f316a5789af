// The variables of the service, from src/variables.json: for `--help`, and as the table of docs/configuration.md.
// `node scripts/configuration.mjs` writes that table.

import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const groups = JSON.parse(readFileSync(new URL('../src/variables.json', import.meta.url), 'utf8'));
const docs = new URL('../docs/configuration.md', import.meta.url);
const lineCharactersMax = 110;
const indent = '      ';

/** Removes markup, and links to other pages. */
const plain = (markdown) =>
  markdown
    .replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= lineCharactersMax) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

const helpOf = ({variables, shown, help}) => {
  const names = Object.entries(variables).map(([name, {default: preset = ''}]) => `${name}=${preset}`);
  const preset = shown === undefined ? '' : `  (${plain(shown)})`;
  return [`  ${names.join('  ')}${preset}`, ...wrapped(plain(help)).map((line) => indent + line)];
};

export const configuration = `Configuration comes from the environment:

${groups.flatMap(helpOf).join('\n')}
`;

const rowOf = ({variables, shown, help}) => {
  const names = Object.keys(variables).map((name) => `\`${name}\``);
  const presets = Object.values(variables).map(({default: preset = 'unset'}) => preset);
  const preset = shown ?? (new Set(presets).size === 1 ? presets[0] : presets.join(', '));
  return `| ${names.join(', ')} | ${preset} | ${help} |`;
};

/** The table of docs/configuration.md. */
export const configurationTable = ['| Name | Default | |', '|---|---|---|', ...groups.map(rowOf), ''].join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(docs, 'utf8');
  writeFileSync(
    docs,
    page.replace(/(?<=^## Variables\n\n)(?:\|.*\n)+/m, () => configurationTable),
  );
}
