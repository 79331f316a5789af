// All translators, by the vendor's name in metrics.
import {amplitude} from './amplitude.js';
import {jitsu} from './jitsu.js';
import {mixpanel} from './mixpanel.js';
import {openpanel} from './openpanel.js';
import {plausible} from './plausible.js';
import {posthog} from './posthog.js';
import {segment} from './segment.js';
import type {Translator} from './translator.js';
import {umami} from './umami.js';

export const translators: ReadonlyMap<string, Translator> = new Map(
  Object.entries({segment, posthog, mixpanel, amplitude, jitsu, openpanel, umami, plausible}),
);

/** Every vendor's kinds of calls. */
export const kindsOfCalls: readonly {readonly vendor: string; readonly kind: string}[] = [...translators].flatMap(
  ([vendor, {kinds}]) => kinds.map((kind) => ({vendor, kind})),
);
