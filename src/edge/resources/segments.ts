// Segments. A question about one that was removed is refused.
import {isoText} from '../../../actors/calendar.js';
import {name, object, type SegmentUsers, segmentUsers} from '../../asks/question/members.js';
import {segmentsMax, segmentsOf} from '../../kept/segment.js';
import {segmentAnswer} from '../answers/segments.js';
import type {Front} from '../front.js';
import {withoutEmpty} from '../query/read-question.js';
import {numberIn, renamed} from '../query/renamed.js';
import {userFilterOf} from '../query/user-filter.js';
import {readMembers} from '../routes/json-fields.js';
import {resourceOf} from './resource.js';

const form = object({
  name,
  users: segmentUsers.overwrite((users) => withoutEmpty(users) as typeof users).describe('Who is in it.'),
});

const exampleId = 'sg_0123456789abcdef';
const example = {
  name: 'Paying, and here this week',
  users: {where: ['plan ne free'], did: [{event: 'login', range: '-7d'}]},
};

/** @throws RequestFailure for a range that begins after it ends. */
const check = ({users}: {readonly users?: SegmentUsers | undefined}, front: Front): void => {
  renamed(
    (field) => `users.did.${(numberIn(field)?.number ?? 1) - 1}.range`,
    () => userFilterOf({users}, front),
  );
};

export const segments = resourceOf({
  noun: 'segment',
  name: 'segment',
  definitions: segmentsOf,
  countMax: segmentsMax,
  bodyBytesMax: 64 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: form.partial(),
  read: readMembers,
  answer: segmentAnswer,
  made: (fields, {name: changedBy, atMs: changedMs}, front) => {
    check(fields, front);
    return {...fields, changedMs, changedBy};
  },
  edited: ({name: called, users}) => [called, users],
  edit: (change, {name: changedBy, atMs: changedMs}, front) => {
    check(change, front);
    return (held) => {
      const {name: called = held.name, users = held.users} = change;
      return {...held, name: called, users, changedMs, changedBy};
    };
  },
  shown: ({id, name: called, users, createdMs, changedMs, changedBy}) => ({
    ...{id, name: called, users},
    ...{created_at: isoText(createdMs), changed_at: isoText(changedMs), changed_by: changedBy},
  }),
  description: {
    tag: 'Kept',
    about:
      'Users by their traits and by what they did: `"users":{"segment":"sg_..."}` of a question, or `segment=sg_...` of a report. ' +
      'Who is in it is computed with each question.',
    ofChange: 'Questions are about its new users from then on.',
    example: {
      id: exampleId,
      body: example,
      change: {name: 'Paying and active'},
      answer: {
        id: exampleId,
        ...{...example, users: {...example.users, did: [{...example.users.did[0], not: false}]}},
        created_at: '2026-05-01T09:00:00.000Z',
        changed_at: '2026-05-01T09:00:00.000Z',
        changed_by: 'bootstrap',
        version: 'dR2cnWR0g9WCA3jcPbCzhY',
      },
    },
  },
});
