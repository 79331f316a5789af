// The breakdowns of a report: its parameters `breakdown` and `breakdown_limit`, and the member of a question.
import {breakdownCellsMax, breakdownLimitDefault, breakdownLimitMax, breakdownsMax} from '../../../actors/limits.js';
import {kindsShown} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown} from '../../asks/breakdown.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {name, optional, optionalList, wholeNumber} from './parameters.js';
import type {QueryValues} from './query.js';

const traitHead = 'trait:';

export const breakdownForm = {
  breakdown: optional(name, {
    description:
      'A row for each value of this property, or of `trait:<name>`, the current trait of the user, told apart by their text.',
  }),
  breakdown_limit: optional(wholeNumber(breakdownLimitMax), {
    description: `Values with rows of their own, the most frequent ones; the others share one. Default: ${breakdownLimitDefault}.`,
  }),
};

/** For a report that takes several. */
export const breakdownsForm = {
  breakdown: optionalList(name, {
    countMax: breakdownsMax,
    description: `Up to ${breakdownsMax}: a row for each combination of values.`,
  }),
  breakdown_limit: optionalList(wholeNumber(breakdownLimitMax), {
    countMax: breakdownsMax,
    description: 'One for each `breakdown`.',
  }),
};

/** Entry of the member `breakdown`. */
interface Entry {
  readonly property?: string | undefined;
  readonly trait?: string | undefined;
  readonly limit: number;
}

/** The member of a question. @throws RequestFailure */
export function breakdownIn({
  breakdown = [],
  breakdown_limit: limit = [],
}: QueryValues<typeof breakdownForm> | QueryValues<typeof breakdownsForm>): Entry[] {
  const [names, limits] = [[breakdown].flat(), [limit].flat()];
  if (limits.length > names.length)
    throw new RequestFailure(invalidRequest('breakdown_limit goes with a breakdown', 'breakdown_limit'));
  return names.map((name, at) => ({...brokenBy(name), limit: limits[at] ?? breakdownLimitDefault}));
}

function brokenBy(text: string): {property: string} | {trait: string} {
  const isTrait = text.startsWith(traitHead) && text.length > traitHead.length;
  return isTrait ? {trait: text.slice(traitHead.length)} : {property: text};
}

/** The breakdowns that a question asks for, if it asks for any. @throws RequestFailure for more than an answer holds */
export function breakdownsOf(entries: readonly Entry[] = [], bucketCount: number): readonly Breakdown[] | undefined {
  if (entries.length === 0) return undefined;
  const rows = entries.reduce((product, {limit}) => product * (limit + kindsShown.length), 1);
  if (rows * bucketCount > breakdownCellsMax) {
    const most = breakdownCellsMax.toLocaleString('en');
    const message = `the answer would have more than ${most} rows times buckets: choose a longer interval, or a smaller breakdown_limit`;
    throw new RequestFailure(invalidRequest(message, 'breakdown_limit'));
  }
  const breakdowns = entries.map(
    ({property, trait, limit}): Breakdown =>
      trait === undefined ? {by: 'property', name: property!, limit} : {by: 'trait', name: trait, limit},
  );
  const isTwice = breakdowns.some((one, at) => breakdowns.findIndex((other) => isSame(one, other)) < at);
  if (isTwice) throw new RequestFailure(invalidRequest('breakdown: a property is given twice', 'breakdown'));
  return breakdowns;
}

const isSame = (one: Breakdown, other: Breakdown): boolean => one.by === other.by && one.name === other.name;
