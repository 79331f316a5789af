// THIRD-PARTY-NOTICES.txt: name, version and licence of every package whose code, font or icons the build contains.
//   TN1. The packages come from lists of what the builds took in: modules of the service and of the pages, and the kernels' compiler.
//   TN2. A package without a licence text fails the build, and so does a module of no package.

import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {inProject, SetupFault} from './project.mjs';

export const noticesFile = 'dist/THIRD-PARTY-NOTICES.txt';
/** What the build of the pages took in; dashboard/taken-in.ts writes it. */
const pagesList = 'dist/pages/taken-in.json';
/** What the compiler adds to the kernels, as `npm run kernels` found it: a start has no compiler. */
export const kernelsList = 'kernels/third-party.json';

const nodeModules = 'node_modules/';

/**
 * The folder of the package that a module is of, from the root; undefined for our own. Ids that begin with `\0` are of modules
 * that a bundler makes itself, such as `\0rolldown/runtime.js`.
 */
export function packageFolderOf(id) {
  const at = id.lastIndexOf(nodeModules);
  if (at === -1 && !id.startsWith('\0')) return undefined;
  const outer = at === -1 ? nodeModules : id.slice(id.indexOf(nodeModules), at + nodeModules.length);
  const words = (at === -1 ? id.slice(1) : id.slice(at + nodeModules.length)).split('/');
  return outer + words.slice(0, words[0].startsWith('@') ? 2 : 1).join('/');
}

/** @throws SetupFault TN2 */
export function noticeOf(folder) {
  const manifest = inProject(folder, 'package.json');
  if (!existsSync(manifest)) throw new SetupFault(`the build contains code of ${folder}, whose licence is not known`);
  const {name, version, license} = JSON.parse(readFileSync(manifest, 'utf8'));
  const files = readdirSync(inProject(folder)).filter((file) =>
    /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file),
  );
  const text = files
    .sort()
    .map((file) => ownPart(readFileSync(inProject(folder, file), 'utf8')))
    .join('\n\n');
  if (typeof license !== 'string' || !files.some((file) => !/^notice/i.test(file)) || text === '')
    throw new SetupFault(`${folder} has no licence, or no text of it`);
  return {name, version, license, text};
}

/** Leaves out what Vite's licence says of packages inside Vite: they run while we build, and none of our files has their code. */
const ownPart = (text) =>
  text
    .replaceAll('\r\n', '\n')
    .split(/^# Licenses of bundled dependencies$/m)[0]
    .trim();

/** `modules`: ids of those in the bundle of the service. TN1 */
export function writeNotices(modules) {
  const taken = [
    ...noticesOf('the service', modules),
    ...noticesOf('the pages', pagesModules()),
    ...readJson(kernelsList).map((notice) => ({...notice, part: 'the kernels'})),
  ];
  writeFileSync(inProject(noticesFile), noticesText(taken));
}

function pagesModules() {
  if (!existsSync(inProject('dashboard'))) return []; // An archive without the dashboard.
  if (!existsSync(inProject(pagesList))) throw new SetupFault(`${pagesList} is missing: the pages are built first`);
  return readJson(pagesList);
}

function noticesOf(part, modules) {
  const folders = new Set(modules.map(packageFolderOf).filter((folder) => folder !== undefined));
  return [...folders].map((folder) => ({...noticeOf(folder), part}));
}

const line = '-'.repeat(80);

/** Packages with the same text stand above it together. */
function noticesText(taken) {
  const byText = new Map();
  for (const {name, version, license, text, part} of taken) {
    const heads = byText.get(text) ?? new Map();
    byText.set(text, heads);
    const head = `${name} ${version} (${license})`;
    heads.set(head, [...(heads.get(head) ?? []), part]);
  }
  const sections = [...byText].map(([text, heads]) => {
    const titles = [...heads].map(([head, parts]) => `${head}, in ${parts.join(' and ')}`).sort();
    return `${titles.join('\n')}\n\n${text}\n`;
  });
  const about = [
    'Third-party notices of Millrace',
    '',
    'The build of Millrace contains code, a font and icons of these packages, under the licences below.',
    'Packages that are installed beside it (the native HTTP server) have their licences in their own folders.',
    '',
  ].join('\n');
  return [about, ...sections.sort()].join(`\n${line}\n\n`);
}

const readJson = (file) => JSON.parse(readFileSync(inProject(file), 'utf8'));
