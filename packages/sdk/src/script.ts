// /sdk.js: a whole installation in one line of HTML. Options are attributes of the script.
import {type Millrace, type Options, start} from './millrace.js';

/** What a page may have before this script is there: calls to be made, such as `['track', 'signup']`. */
type Call = readonly [method: keyof Millrace, ...args: unknown[]];

declare global {
  var millrace: (Millrace & {push(call: Call): void}) | Call[] | undefined;
}

const script = document.currentScript as HTMLScriptElement;
const {key = '', host, storage, cookie, consent, honour, keepQuery, pages, outbound, downloads} = script.dataset;

const words = (text = ''): string[] => text.split(/[\s,]+/).filter(Boolean);

const started: Millrace = start({
  // The folder of the script: the service may be below a path.
  host: host ?? new URL('.', script.src).href,
  key,
  pages: pages !== 'false',
  outbound: outbound !== undefined,
  downloads: downloads !== undefined,
  keepQuery: words(keepQuery),
  honour: words(honour) as Options['honour'] & string[],
  ...(storage === 'none' && {storage}),
  ...(cookie && {cookie}),
  ...(consent && {consent: consent as Options['consent'] & string}),
});

const push = ([method, ...args]: Call): void => {
  (started[method] as (...args: unknown[]) => unknown)(...args);
};
const early = globalThis.millrace;
globalThis.millrace = Object.assign(started, {push});
if (Array.isArray(early)) for (const call of early) push(call);
