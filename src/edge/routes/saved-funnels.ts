// The report of a saved funnel, and how far a user got in each. src/edge/resources/funnels.ts has the definitions.
import type {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {funnelPathOf} from '../../asks/question/funnel-path.js';
import {type SavedFunnel, savedFunnelsOf} from '../../kept/saved-funnel.js';
import type {userFunnelsAnswer} from '../answers/saved-funnels.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {failUnknown, userInQuery} from '../query/asked-user.js';
import {readPathId} from '../query/query.js';
import {rangeForm, rangeIn} from '../query/question-times.js';
import {partitionOfUser} from '../query/user-partition.js';
import type {Handle} from '../route.js';
import {funnelQuery} from './funnel.js';
import {formatForm} from './report-format.js';
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
  const {question} = funnelIn(front, segment);
  return reportRoute(savedFunnelForm, (values) =>
    funnelQuery({...question, ...rangeIn(values), percentiles: false}, front),
  )(front, exchange, segment);
};

/** Answers with the progress of one user in every saved funnel, live. */
export async function readUserFunnels(front: Front, exchange: Exchange): Promise<void> {
  const user = userInQuery(exchange);
  const funnels = savedFunnelsOf(front.kept.store).list();
  const asked = funnels.map(({question}) => funnelPathOf(question));
  const partition = partitionOfUser(user, front.partitionCount);
  const ask = {ask: 'funnels', user, funnels: asked} as const;
  const answer = await front.reads.asks.partition(partition, ask, ['funnels', 'unknown_user']);
  if (answer.kind === 'unknown_user') return failUnknown(exchange, answer);
  const data: z.infer<typeof userFunnelsAnswer>['data'] = funnels.map(({id, name, question: {steps}}, i) => {
    const {reached, reachedMs} = answer.reached[i]!;
    return {id, name, reached, steps: steps.length, reached_at: reachedMs === null ? null : isoText(reachedMs)};
  });
  exchange.json('200 OK', JSON.stringify({data}));
}
