// Saved funnels: webhooks are notified of users who complete one.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {funnelStepsMax, idCharsMax} from '../../../actors/limits.js';
import {windowMsOf, windowPattern, windowRule, windowText} from '../../conversion-window.js';
import {isName} from '../../ingest/validate.js';
import {savedFunnelsMax, savedFunnelsOf} from '../../kept/saved-funnel.js';
import {lateUsersShape, savedFunnelAnswer} from '../answers/saved-funnels.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {orSilence} from '../readiness.js';
import {name} from './fields.js';
import {resourceOf} from './resource.js';

const stepsRule = `steps must be 1 to ${funnelStepsMax} names of events, each of 1 to ${idCharsMax} characters`;
const windowTextRule = `window must be ${windowRule}`;

const form = z.strictObject({
  name,
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

const memoryIsFull = invalidRequest(
  "users' progress in the saved funnels takes all of FUNNEL_MEMORY_MIB: raise it, or delete funnels first",
);
/** A partition answers at once; without an answer the list says so. */
const memoryMsMax = 1_000;

/** Users whose progress does not fit in memory, by partition; null: it does not answer. */
function lateUsers({partitionCount, reads: {asks}}: Front): Promise<(number | null)[]> {
  const ask = async (partition: number): Promise<number | null> => {
    const asked = asks.partition(partition, {ask: 'funnel_memory'}, ['funnel_memory'], memoryMsMax);
    return (await orSilence(asked))?.memory.lateUsers ?? null;
  };
  return Promise.all(Array.from({length: partitionCount}, (_, partition) => ask(partition)));
}

const exampleId = 'fn_0123456789abcdef';
const example = {name: 'Activation', steps: ['signup', 'purchase'], window: '7d'};

export const savedFunnels = resourceOf({
  noun: 'saved funnel',
  name: 'funnel',
  definitions: savedFunnelsOf,
  countMax: savedFunnelsMax,
  /** Fifty names of 256 characters that are escaped throughout. */
  bodyBytesMax: 128 * 1024,
  roles: {reads: 'analyst', changes: 'analyst'},
  form,
  // Who completed other steps is another question: that is another funnel.
  change: form.pick({name: true}).partial(),
  answer: savedFunnelAnswer,
  made: async ({name, steps, window}, _, front) => {
    if ((await lateUsers(front)).some((count) => count !== null && count > 0)) throw new RequestFailure(memoryIsFull);
    const windowMs = window === undefined ? undefined : windowMsOf(window);
    return {name, steps, ...(windowMs !== undefined && {windowMs})};
  },
  edited: ({name}) => [name],
  edit:
    ({name: to}) =>
    (held) => ({...held, name: to ?? held.name}),
  shown: ({id, name, steps, windowMs, createdMs}) => ({
    ...{id, name, steps: [...steps]},
    window: windowMs === undefined ? null : windowText(windowMs),
    created_at: isoText(createdMs),
  }),
  beside: {
    shape: lateUsersShape,
    read: async (front) => ({
      late_users: (await lateUsers(front)).reduce(
        (sum, count) => (sum === null || count === null ? null : sum + count),
        0,
      ),
    }),
    example: {late_users: 0},
  },
  description: {
    tag: 'Reports',
    about:
      'From then on webhooks get `funnel.completed` once for each user who completes the funnel. Users who completed it before ' +
      'cause no message. None is created once `late_users` of the list is above 0.',
    example: {
      id: exampleId,
      body: example,
      change: {name: 'Activation in a week'},
      answer: {
        id: exampleId,
        ...example,
        created_at: '2026-05-01T09:00:00.000Z',
        version: 'GmP8zqFyW8nN5tJ1b2cVxQ',
      },
    },
  },
});
