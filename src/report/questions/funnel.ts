// A funnel of plain steps.
//   PF1. The numbers are the same whatever answers. This answer has fewer fields than that of walked-funnel.ts, as
//        docs/api/reports/funnel.md says: a member that is given makes it that one, even if the member says what is so without it.
import {funnelAnswer, mergeFunnels} from '../../../actors/report/funnel/funnel.js';
import type {QueryOf} from '../../asks/report.js';
import {funnelRound} from '../operators/posted-funnel.js';
import type {Reading} from '../reading.js';
import type {Question, RunRound} from '../rounds.js';
import {WalkedFunnel} from './walked-funnel.js';

export const funnel = (reading: Reading, query: QueryOf<'funnel'>, asOfMs: number): Question<null> =>
  isPlainFunnel(query) ? new PlainFunnel(reading, query) : new WalkedFunnel(reading, query, asOfMs);

class PlainFunnel implements Question<null> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'funnel'>;

  constructor(reading: Reading, query: QueryOf<'funnel'>) {
    this.reading = reading;
    this.query = query;
  }

  round() {
    return funnelRound(this.reading, this.query);
  }

  async answer(run: RunRound<null>): Promise<string> {
    const names = this.query.steps.map(({event}) => event);
    const round = this.round();
    try {
      await run(round, null);
      return funnelAnswer(names, mergeFunnels(names.length, round.results.all));
    } finally {
      round.end();
    }
  }
}

/** Whether steps have names alone, and the question nothing but a range and a window. PF1 */
function isPlainFunnel(query: QueryOf<'funnel'>): boolean {
  const {range, users, hold, breakdown, interval, histogram, hasPercentiles, order, where, exclusions, steps} = query;
  const members = [range, users, hold, breakdown, interval, histogram, hasPercentiles, order];
  const lists = [where, exclusions, ...steps.map((step) => step.where)];
  return members.every((member) => member === undefined) && lists.every(isEmpty);
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
