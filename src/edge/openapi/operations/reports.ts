// Reports: exact, from the newest published snapshot.
import {activeAnswer} from '../../answers/active-users.js';
import {eventCountsAnswer} from '../../answers/counts.js';
import {funnelAnswers, funnelUsersAnswer} from '../../answers/funnels.js';
import {namesAnswer} from '../../answers/lists.js';
import {queryAnswer} from '../../answers/query.js';
import {noParameters} from '../../query/query.js';
import {usersForm} from '../../routes/active-users.js';
import {countsForm} from '../../routes/event-counts.js';
import {namesForm} from '../../routes/event-names.js';
import {funnelForm, funnelUsersForm} from '../../routes/funnel.js';
import {queryBody} from '../../routes/query.js';
import type {Answer, Operations} from '../operation.js';
import {twoDays} from './examples.js';

export const freshness = ['Report-As-Of', 'Report-Log-Position', 'Report-Next-By', 'ETag'] as const;
export const hinted = {always: freshness, sometimes: ['Report-Retained-From', 'Report-Hint']} as const;
export const bucketed = {always: freshness, sometimes: ['Report-Incomplete-From', ...hinted.sometimes]} as const;
export const unchanged: Answer = {description: 'The answer has not changed since that tag.', headers: bucketed};

export const reports: Operations = {
  'POST /v1/query': {
    id: 'query',
    tag: 'Reports',
    summary: 'Ask one question, or up to 30 at once',
    description:
      'The `report` of a question says which kind it is of. Answers of a request are of one position, in the order of the ' +
      'questions; one that fails has its `error` instead. With `Min-Log-Position` all of them include these writes. ' +
      'The people behind a number are a question: `people` with `behind`.',
    query: noParameters,
    body: {
      schema: queryBody,
      example: {
        questions: [
          {report: 'counts', events: [{event: 'signup', where: ['plan eq pro']}], range: '-30d'},
          {report: 'funnel', steps: [{event: 'signup'}, {event: 'purchase'}], range: 'this month', window: '7d'},
        ],
      },
    },
    answers: {200: {description: 'The answer, or the answers.', schema: queryAnswer}},
    errors: ['invalid_cursor', 'too_expensive', 'snapshot_gone', 'not_yet', 'unavailable', 'rate_limited'],
  },
  'GET /v1/reports/events': {
    id: 'countEvents',
    tag: 'Reports',
    summary: 'Count events over time',
    description: 'With `breakdown` each value has a row with the same fields; all rows add up to the unbroken counts.',
    query: countsForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The counts.',
        schema: eventCountsAnswer,
        isTable: true,
        headers: bucketed,
        example: {event: 'signup', ...twoDays},
      },
      304: unchanged,
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/reports/users': {
    id: 'countUsers',
    tag: 'Reports',
    summary: 'Count active users over time',
    description:
      'A user is active with at least one event of those that count. With ' +
      '`breakdown` each value has such a row; a user may be in several.',
    query: usersForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The counts.',
        schema: activeAnswer,
        isTable: true,
        headers: bucketed,
        example: {metric: 'dau', ...twoDays},
      },
      304: unchanged,
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/reports/funnel': {
    id: 'readFunnel',
    tag: 'Reports',
    summary: 'Conversion over a sequence of events',
    description:
      'Users who did the steps in order, all of them in the range; other events may occur in between. A user counts once. ' +
      'Conditions, orders, exclusions, held properties, breakdowns and buckets add `mean_seconds` to every step; with ' +
      '`breakdown` each value has such a row, and rows add up.',
    query: funnelForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The funnel.',
        schema: funnelAnswers,
        isTable: true,
        headers: bucketed,
        example: {
          steps: [
            {
              event: 'signup',
              count: 2,
              conversion_rate: 1,
              step_conversion_rate: 1,
              drop_off: 0,
              median_seconds: null,
            },
            {
              event: 'purchase',
              count: 1,
              conversion_rate: 0.5,
              step_conversion_rate: 0.5,
              drop_off: 1,
              median_seconds: 1_800,
            },
          ],
          conversion_rate: 0.5,
          total: 2,
        },
      },
      304: unchanged,
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/reports/funnel/users': {
    id: 'listFunnelUsers',
    tag: 'Reports',
    summary: 'List who got how far in a funnel',
    description:
      'The users behind the `count` of a step, or behind its `drop_off`, with the parameters of the funnel that say who is in it.',
    query: funnelUsersForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of users.',
        schema: funnelUsersAnswer,
        headers: hinted,
        example: {
          data: [
            {
              id: 'ada',
              kind: 'user',
              entered_at: '2026-05-01T12:00:00.000Z',
              at: '2026-05-01T12:30:00.000Z',
            },
          ],
          has_more: false,
          next_cursor: null,
        },
      },
      304: {...unchanged, headers: hinted},
    },
    errors: ['invalid_cursor', 'unavailable'],
  },
  'GET /v1/names': {
    id: 'listNames',
    tag: 'Reports',
    summary: 'List the names of events',
    description:
      'The names that have events in the range, with how many. A name whose last event was deleted is not listed.',
    query: namesForm,
    isConditional: true,
    answers: {
      200: {
        description: 'One page of names.',
        schema: namesAnswer,
        isTable: true,
        headers: {always: freshness, sometimes: ['Report-Retained-From', 'Next-Cursor']},
        example: {
          data: [
            {
              name: 'signup',
              count: 2,
              first_seen: '2026-05-01T12:00:00.000Z',
              last_seen: '2026-05-02T09:00:00.000Z',
            },
            {
              name: 'purchase',
              count: 1,
              first_seen: '2026-05-01T12:30:00.000Z',
              last_seen: '2026-05-01T12:30:00.000Z',
            },
          ],
          has_more: false,
          next_cursor: null,
        },
      },
      304: {...unchanged, headers: {always: freshness}},
    },
    errors: ['invalid_cursor', 'too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
};
