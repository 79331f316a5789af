// Saved funnels: the definitions, the report of one, and how far a user got in each.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {funnelStepsMax, idCharsMax} from '../../../actors/limits.js';
import {windowMsOf, windowPattern, windowRule, windowText} from '../../conversion-window.js';
import {type SavedFunnel, savedFunnelsMax, savedFunnelsOf} from '../../effects/saved-funnel.js';
import {isName} from '../../ingest/validate.js';
import type {savedFunnelAnswer, savedFunnelsAnswer, userFunnelsAnswer} from '../answers/saved-funnels.js';
import {type Failure, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {boundsOf} from '../query/asked-times.js';
import {failUnknown, userInQuery} from '../query/asked-user.js';
import {noParameters, readPathId, readQuery} from '../query/query.js';
import {rangeForm, rangeIn, timesOf} from '../query/question-times.js';
import {partitionOfUser} from '../query/user-partition.js';
import {orSilence} from '../readiness.js';
import type {Handle} from '../route.js';
import {authorOf} from './author.js';
import {readFields, readObject} from './json-fields.js';
import {removeDefinition} from './removed-definition.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, reportRoute} from './reports.js';
import {storedChange} from './stored-change.js';

/** Fifty names of 256 characters that are escaped throughout. */
export const savedFunnelBodyBytesMax = 128 * 1024;
export const exampleFunnelId = 'fn_0123456789abcdef';

const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;
const stepsRule = `steps must be 1 to ${funnelStepsMax} names of events, each of 1 to ${idCharsMax} characters`;
const windowTextRule = `window must be ${windowRule}`;

export const newFunnelBody = z.strictObject({
  name: z.string(nameRule).refine(isName, nameRule).meta({minLength: 1, maxLength: idCharsMax}),
  steps: z
    .array(z.string(stepsRule).refine(isName, stepsRule), stepsRule)
    .min(1, stepsRule)
    .max(funnelStepsMax, stepsRule)
    .describe('The names of the events, in order.'),
  window: z
    .string(windowTextRule)
    .regex(windowPattern, windowTextRule)
    .optional()
    .describe(
      'The time from the first step to the last one, inclusive: seconds, or `30m`, `12h`, `7d`. Default: no end.',
    ),
});

const outcomeUnknown = unavailable(
  'the store of definitions does not respond: the change may or may not have been made, list the funnels to see',
);
const unknownFunnel: Failure = {code: 'not_found', message: 'no such funnel'};
const tooMany = invalidRequest(`${savedFunnelsMax} funnels are saved: delete one first`);
const memoryIsFull = invalidRequest(
  "users' progress in the saved funnels takes all of FUNNEL_MEMORY_MIB: raise it, or delete funnels first",
);
/** A partition answers at once; without an answer the list says so. */
const memoryMsMax = 1_000;

const shown = ({id, name, steps, windowMs, createdMs}: SavedFunnel): z.infer<typeof savedFunnelAnswer> => ({
  id,
  name,
  steps: [...steps],
  window: windowMs === undefined ? null : windowText(windowMs),
  created_at: isoText(createdMs),
});

/** @throws RequestFailure */
function funnelIn({hooks}: Front, segment: string): SavedFunnel {
  const funnel = savedFunnelsOf(hooks).get(readPathId(segment));
  if (funnel === undefined) throw new RequestFailure(unknownFunnel);
  return funnel;
}

export const listFunnels: Handle = async (front, exchange) => {
  readQuery(exchange.query, noParameters);
  const late = await lateUsers(front);
  const answer: z.infer<typeof savedFunnelsAnswer> = {
    data: savedFunnelsOf(front.hooks).list().map(shown),
    late_users: late.reduce<number | null>((sum, count) => (sum === null || count === null ? null : sum + count), 0),
  };
  exchange.json('200 OK', JSON.stringify(answer));
};

/** Users whose progress does not fit in memory, by partition; null: it does not answer. */
function lateUsers({asks, partitionCount}: Front): Promise<(number | null)[]> {
  const ask = async (partition: number): Promise<number | null> => {
    const asked = asks.partition(partition, {ask: 'funnel_memory'}, ['funnel_memory'], memoryMsMax);
    return (await orSilence(asked))?.memory.lateUsers ?? null;
  };
  return Promise.all(Array.from({length: partitionCount}, (_, partition) => ask(partition)));
}

export const readFunnel: Handle = (front, exchange, segment) => {
  readQuery(exchange.query, noParameters);
  exchange.json('200 OK', JSON.stringify(shown(funnelIn(front, segment))));
};

export async function saveFunnel(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const {name, steps, window} = readFields(newFunnelBody, body);
  const funnels = savedFunnelsOf(front.hooks);
  if (funnels.list().length >= savedFunnelsMax) throw new RequestFailure(tooMany);
  if ((await lateUsers(front)).some((count) => count !== null && count > 0)) throw new RequestFailure(memoryIsFull);
  const windowMs = window === undefined ? undefined : windowMsOf(window);
  const author = authorOf(front, exchange);
  const saved = await changed(front, () =>
    funnels.create({name, steps, ...(windowMs === undefined ? {} : {windowMs})}),
  );
  front.audit.defined('funnel.created', author, saved.id);
  exchange.json('201 Created', JSON.stringify(shown(saved)));
}

export const deleteFunnel: Handle = async (front, exchange, segment) => {
  const {id} = funnelIn(front, segment);
  readQuery(exchange.query, noParameters);
  await removeDefinition(front, exchange, savedFunnelsOf(front.hooks), id, {
    what: 'funnel.deleted',
    unknown: unknownFunnel,
    outcomeUnknown,
  });
  exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
};

const changed = <Value>(front: Front, change: () => Promise<Value>): Promise<Value> =>
  storedChange(front, outcomeUnknown, change);

export const savedFunnelForm = {...ofEveryReport, ...formatForm, ...rangeForm};

export const savedFunnelReport: Handle = (front, exchange, segment) => {
  const {steps, windowMs} = funnelIn(front, segment);
  return reportRoute(savedFunnelForm, (values) => ({
    report: 'funnel',
    steps,
    ...boundsOf(timesOf(rangeIn(values), front), front),
    ...(windowMs === undefined ? {} : {windowMs}),
  }))(front, exchange, segment);
};

/** Answers with the progress of one user in every saved funnel, live. */
export async function readUserFunnels(front: Front, exchange: Exchange): Promise<void> {
  const user = userInQuery(exchange);
  const funnels = savedFunnelsOf(front.hooks).list();
  const asked = funnels.map(({steps, windowMs}) => ({steps, windowMs}));
  const partition = partitionOfUser(user, front.partitionCount);
  const question = {ask: 'funnels', user, funnels: asked} as const;
  const answer = await front.asks.partition(partition, question, ['funnels', 'unknown_user']);
  if (answer.kind === 'unknown_user') return failUnknown(exchange, answer);
  const data: z.infer<typeof userFunnelsAnswer>['data'] = funnels.map(({id, name, steps}, i) => {
    const {reached, reachedMs} = answer.reached[i]!;
    return {id, name, reached, steps: steps.length, reached_at: reachedMs === null ? null : isoText(reachedMs)};
  });
  exchange.json('200 OK', JSON.stringify({data}));
}
