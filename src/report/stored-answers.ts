// Which questions need no walk over rows: what they ask is stored, or indexed. Rows (rows/) answer the others.
//   SA1. The numbers are the same whatever answers. A funnel that is answered here has fewer fields, as docs/api/reports/funnel.md says: a member
//        that is given makes it one of rows, even if the member says what is so without it.
import type {FunnelPath, FunnelReportQuery, PlainFunnel} from '../asks/funnels.js';

/** SA1 */
export function plainFunnel(query: Extract<FunnelReportQuery, {report: 'funnel'}>): PlainFunnel | undefined {
  const {range, users, hold, breakdown, interval, histogram, hasPercentiles} = query;
  const members = [range, users, hold, breakdown, interval, histogram, hasPercentiles];
  return members.some((member) => member !== undefined) ? undefined : plainPath(query);
}

/** A path through steps that have names alone. */
export function plainPath({steps, windowMs, order, where, exclusions}: FunnelPath): PlainFunnel | undefined {
  const lists = [where, exclusions, ...steps.map((step) => step.where)];
  if (order !== undefined || !lists.every(isEmpty)) return undefined;
  return {steps: steps.map(({event}) => event), windowMs};
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
