// Saved funnels: webhooks are notified of users who complete one.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {type FollowedQuestion, followed} from '../../asks/question/funnel.js';
import {savedFunnelsMax, savedFunnelsOf} from '../../kept/saved-funnel.js';
import {lateUsersShape, savedFunnelAnswer} from '../answers/saved-funnels.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {pointing, withoutEmpty} from '../query/read-question.js';
import {orSilence} from '../readiness.js';
import {checkExclusions} from '../routes/funnel.js';
import {readQuestion} from '../routes/json-fields.js';
import {name} from './fields.js';
import {resourceOf} from './resource.js';

const form = z.strictObject({
  name,
  question: followed.describe(
    'Who completes the funnel, as `POST /v1/query` takes it, over all time and of all users.',
  ),
});

/** Members that a saved funnel had before it held a question, and where they are now. */
const inQuestion = {
  steps: '{"report": "funnel", "steps": [{"event": "signup"}, {"event": "purchase"}]}',
  window: '{"report": "funnel", "steps": […], "window": "7d"}',
};

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
const example = {
  name: 'Activation',
  question: {report: 'funnel', steps: [{event: 'signup'}, {event: 'purchase', where: ['amount gt 0']}], window: '7d'},
};

export const savedFunnels = resourceOf({
  noun: 'saved funnel',
  name: 'funnel',
  definitions: savedFunnelsOf,
  countMax: savedFunnelsMax,
  /** Fifty steps with the longest conditions that are of use. */
  bodyBytesMax: 256 * 1024,
  roles: {reads: 'analyst', changes: 'analyst'},
  form,
  // Who completed other steps is another question: that is another funnel.
  change: form.pick({name: true}).partial(),
  read: (of, body) => readQuestion(of, body, inQuestion),
  answer: savedFunnelAnswer,
  made: async ({name, question: asked}, _, front) => {
    const question = withoutEmpty(asked) as FollowedQuestion;
    pointing('/question', () => checkExclusions(question));
    if ((await lateUsers(front)).some((count) => count !== null && count > 0)) throw new RequestFailure(memoryIsFull);
    return {name, question};
  },
  edited: ({name}) => [name],
  edit:
    ({name: to}) =>
    (held) => ({...held, name: to ?? held.name}),
  shown: ({id, name, question, createdMs}) => ({id, name, question, created_at: isoText(createdMs)}),
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
