// Which questions need no walk over rows: what they ask is stored, or indexed. Rows (rows/) answer the others.
//   SA1. The numbers are the same whatever answers. A funnel that is answered here has fewer fields, as docs/api/reports/funnel.md says: a member
//        that is given makes it one of rows, even if the member says what is so without it.
import type {FunnelReportQuery, PlainFunnel} from '../asks/funnels.js';

/** SA1 */
export function plainFunnel(query: Extract<FunnelReportQuery, {report: 'funnel'}>): PlainFunnel | undefined {
  const {steps, windowMs, order, range, users, hold, breakdown, interval, histogram, hasPercentiles} = query;
  const members = [order, range, users, hold, breakdown, interval, histogram, hasPercentiles];
  const lists = [query.where, query.exclusions, ...steps.map(({where}) => where)];
  if (members.some((member) => member !== undefined) || !lists.every(isEmpty)) return undefined;
  return {steps: steps.map(({event}) => event), windowMs};
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
