// `breakdown` and `breakdown_limit` of reports (docs/api.md, Reports).
import {breakdownCellsMax, breakdownLimitDefault, breakdownLimitMax, idCharsMax} from '../../../actors/limits.js';
import {kindsShown} from '../../../actors/report/rows/value-groups.js';
import type {Breakdown} from '../../asks/breakdown.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {name, optional, wholeNumber} from './parameters.js';

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

interface Asked {
  readonly breakdown: string | undefined;
  readonly breakdown_limit: number | undefined;
}

/** The breakdown that a request asks for, if it asks for one. @throws RequestFailure for more than an answer holds */
export function breakdownOf({breakdown, breakdown_limit: asked}: Asked, bucketCount: number): Breakdown | undefined {
  if (breakdown === undefined) {
    if (asked === undefined) return undefined;
    throw new RequestFailure(invalidRequest('breakdown_limit goes with a breakdown', 'breakdown_limit'));
  }
  const limit = asked ?? breakdownLimitDefault;
  if ((limit + kindsShown.length) * bucketCount > breakdownCellsMax) {
    const most = breakdownCellsMax.toLocaleString('en');
    const message = `the answer would have more than ${most} rows times buckets: choose a longer interval, or a smaller breakdown_limit`;
    throw new RequestFailure(invalidRequest(message, 'breakdown_limit'));
  }
  const isTrait = breakdown.startsWith(traitHead) && breakdown.length > traitHead.length;
  return isTrait
    ? {by: 'trait', name: breakdown.slice(traitHead.length), limit}
    : {by: 'property', name: breakdown, limit};
}
