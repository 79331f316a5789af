// All translators, by the vendor's name in metrics.
import {amplitude} from './amplitude.js';
import {mixpanel} from './mixpanel.js';
import {posthog} from './posthog.js';
import {segment} from './segment.js';
import type {Translator} from './translator.js';

export const translators: ReadonlyMap<string, Translator> = new Map([
  ['segment', segment],
  ['posthog', posthog],
  ['mixpanel', mixpanel],
  ['amplitude', amplitude],
]);

/** Every vendor's kinds of calls. */
export const kindsOfCalls: readonly {readonly vendor: string; readonly kind: string}[] = [...translators].flatMap(
  ([vendor, {kinds}]) => kinds.map((kind) => ({vendor, kind})),
);
