// The variables of the service, from src/variables.json: for `--help`, and as the table of docs/configuration.md, which
// `npm run docs` writes (documents.mjs).

import {readFileSync} from 'node:fs';

const groups = JSON.parse(readFileSync(new URL('../src/variables.json', import.meta.url), 'utf8'));
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

const table = ['| Name | Default | |', '|---|---|---|', ...groups.map(rowOf), ''].join('\n');

/** The page docs/configuration.md with the table of the variables as it is now. */
export const withVariables = (page) => page.replace(/(?<=^## Variables\n\n)(?:\|.*\n)+/m, () => table);
