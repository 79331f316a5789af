// The breakdown of a report: its parameters `breakdown` and `breakdown_limit`, and the member of a question.
import {breakdownCellsMax, breakdownLimitDefault, breakdownLimitMax, idCharsMax} from '../../../actors/limits.js';
import {kindsShown} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown} from '../../asks/breakdown.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {name, optional, wholeNumber} from './parameters.js';
import type {QueryValues} from './query.js';

const traitHead = 'trait:';

export const breakdownForm = {
  breakdown: optional(name, {
    description:
      `A row for each value of this property, or of \`trait:<name>\`, the current trait of the user. Up to ${idCharsMax} ` +
      'characters. Values are told apart by their text.',
  }),
  breakdown_limit: optional(wholeNumber(breakdownLimitMax), {
    description: `Values with rows of their own, the most frequent ones; the others share one. Default: ${breakdownLimitDefault}.`,
  }),
};

/** Entry of the member `breakdown`. */
interface Entry {
  readonly property?: string | undefined;
  readonly trait?: string | undefined;
  readonly limit: number;
}

/** The member of a question. @throws RequestFailure */
export function breakdownIn({breakdown, breakdown_limit: limit}: QueryValues<typeof breakdownForm>): Entry[] {
  if (breakdown !== undefined) return [{...brokenBy(breakdown), limit: limit ?? breakdownLimitDefault}];
  if (limit === undefined) return [];
  throw new RequestFailure(invalidRequest('breakdown_limit goes with a breakdown', 'breakdown_limit'));
}

function brokenBy(text: string): {property: string} | {trait: string} {
  const isTrait = text.startsWith(traitHead) && text.length > traitHead.length;
  return isTrait ? {trait: text.slice(traitHead.length)} : {property: text};
}

/** The breakdown that a question asks for, if it asks for one. @throws RequestFailure for more than an answer holds */
export function breakdownOf([entry]: readonly Entry[] = [], bucketCount: number): Breakdown | undefined {
  if (entry === undefined) return undefined;
  const {property, trait, limit} = entry;
  if ((limit + kindsShown.length) * bucketCount > breakdownCellsMax) {
    const most = breakdownCellsMax.toLocaleString('en');
    const message = `the answer would have more than ${most} rows times buckets: choose a longer interval, or a smaller breakdown_limit`;
    throw new RequestFailure(invalidRequest(message, 'breakdown_limit'));
  }
  return trait === undefined ? {by: 'property', name: property!, limit} : {by: 'trait', name: trait, limit};
}
