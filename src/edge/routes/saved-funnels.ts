// The report of a saved funnel, and how far a user got in each. src/edge/resources/funnels.ts has the definitions.
import {timesOf} from '../../asks/question/times.js';
import type {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {type SavedFunnel, savedFunnelsOf} from '../../kept/saved-funnel.js';
import type {userFunnelsAnswer} from '../answers/saved-funnels.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {boundsOf} from '../query/asked-times.js';
import {failUnknown, userInQuery} from '../query/asked-user.js';
import {readPathId} from '../query/query.js';
import {rangeForm, rangeIn} from '../query/question-times.js';
import {partitionOfUser} from '../query/user-partition.js';
import type {Handle} from '../route.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, reportRoute} from './reports.js';

const unknownFunnel: Failure = {code: 'not_found', message: 'no such saved funnel'};

/** @throws RequestFailure */
function funnelIn({kept: {store}}: Front, segment: string): SavedFunnel {
  const funnel = savedFunnelsOf(store).get(readPathId(segment));
  if (funnel === undefined) throw new RequestFailure(unknownFunnel);
  return funnel;
}

export const savedFunnelForm = {...ofEveryReport, ...formatForm, ...rangeForm};

export const savedFunnelReport: Handle = (front, exchange, segment) => {
  const {steps, windowMs} = funnelIn(front, segment);
  return reportRoute(savedFunnelForm, (values) => ({
    report: 'funnel',
    steps: steps.map((event) => ({event})),
    ...boundsOf(timesOf(rangeIn(values), front), front),
    windowMs,
  }))(front, exchange, segment);
};

/** Answers with the progress of one user in every saved funnel, live. */
export async function readUserFunnels(front: Front, exchange: Exchange): Promise<void> {
  const user = userInQuery(exchange);
  const funnels = savedFunnelsOf(front.kept.store).list();
  const asked = funnels.map(({steps, windowMs}) => ({steps, windowMs}));
  const partition = partitionOfUser(user, front.partitionCount);
  const question = {ask: 'funnels', user, funnels: asked} as const;
  const answer = await front.reads.asks.partition(partition, question, ['funnels', 'unknown_user']);
  if (answer.kind === 'unknown_user') return failUnknown(exchange, answer);
  const data: z.infer<typeof userFunnelsAnswer>['data'] = funnels.map(({id, name, steps}, i) => {
    const {reached, reachedMs} = answer.reached[i]!;
    return {id, name, reached, steps: steps.length, reached_at: reachedMs === null ? null : isoText(reachedMs)};
  });
  exchange.json('200 OK', JSON.stringify({data}));
}
