// The questions by kind: a further kind is a file beside this one, and a line here.
import type {ReportQuery} from '../../asks/report.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {active} from './active.js';
import {counts} from './counts.js';
import {funnel} from './funnel.js';
import {funnelUsers} from './funnel-users.js';
import {lifecycle} from './lifecycle.js';
import {listedProperties, listedPropertyValues} from './listed-properties.js';
import {listedTraits, listedTraitValues} from './listed-traits.js';
import {listedUsers} from './listed-users.js';
import {names} from './names.js';
import {paths} from './paths.js';
import {retention} from './retention.js';
import {stalled} from './stalled.js';
import {stickiness} from './stickiness.js';

type Kind = ReportQuery['report'];

/** Text of the answer, which is JSON. Partitions are read one after the other. @throws MissingPart, DamagedPart, BeyondMemory */
type Answer<K extends Kind> = (
  reading: Reading,
  query: Extract<ReportQuery, {report: K}>,
  snapshots: readonly PartitionSnapshot[],
) => Promise<string>;

export const questions: {readonly [K in Kind]: Answer<K>} = {
  counts,
  active,
  funnel,
  'funnel-users': funnelUsers,
  retention,
  lifecycle,
  stickiness,
  paths,
  stalled,
  names,
  properties: listedProperties,
  property_values: listedPropertyValues,
  traits: listedTraits,
  trait_values: listedTraitValues,
  user_list: listedUsers,
};
