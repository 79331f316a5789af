// The questions by kind: a further kind is a file beside this one, and a line here.
import type {ReportQuery} from '../../asks/report.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import type {Question} from '../rounds.js';
import {Active} from './active.js';
import {Counts} from './counts.js';
import {funnel} from './funnel.js';
import {funnelUsers} from './funnel-users.js';
import {Lifecycle} from './lifecycle.js';
import {listedProperties, listedPropertyValues} from './listed-properties.js';
import {listedTraits, listedTraitValues} from './listed-traits.js';
import {listedUsers} from './listed-users.js';
import {names} from './names.js';
import {Paths} from './paths.js';
import {Retention} from './retention.js';
import {stalled} from './stalled.js';
import {Stickiness} from './stickiness.js';

type Kind = ReportQuery['report'];
type Of<K extends Kind> = Extract<ReportQuery, {report: K}>;

/** A question in rounds, of which several processes run their shares. `asOfMs`: what all partitions include. */
type RoundsOf<K extends Kind> = (reading: Reading, query: Of<K>, asOfMs: number) => Question<unknown>;

export const inRounds = {
  counts: (reading, query) => new Counts(reading, query),
  active: (reading, query) => new Active(reading, query),
  funnel,
  retention: (reading, query, asOfMs) => new Retention(reading, query, asOfMs),
  lifecycle: (reading, query) => new Lifecycle(reading, query),
  stickiness: (reading, query) => new Stickiness(reading, query),
  paths: (reading, query) => new Paths(reading, query),
} satisfies {readonly [K in Kind]?: RoundsOf<K>};

type Rest = Exclude<Kind, keyof typeof inRounds>;

/**
 * A list, which the process that was asked makes alone: its text, which is JSON. Partitions are read one after the other.
 * @throws MissingPart, DamagedPart, BeyondMemory
 */
type AloneOf<K extends Kind> = (
  reading: Reading,
  query: Of<K>,
  snapshots: readonly PartitionSnapshot[],
) => Promise<string>;

export const alone: {readonly [K in Rest]: AloneOf<K>} = {
  'funnel-users': funnelUsers,
  stalled,
  names,
  properties: listedProperties,
  property_values: listedPropertyValues,
  traits: listedTraits,
  trait_values: listedTraitValues,
  user_list: listedUsers,
};
