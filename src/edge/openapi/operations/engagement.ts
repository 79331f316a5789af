// Reports about what users do over time.
import {lifecycleAnswer, pathsAnswer, retentionAnswer, stickinessAnswer} from '../../answers/engagement.js';
import {lifecycleForm} from '../../routes/lifecycle.js';
import {pathsForm} from '../../routes/paths.js';
import {retentionForm} from '../../routes/retention.js';
import {stickinessForm} from '../../routes/stickiness.js';
import type {Operations} from '../operation.js';
import {bucketed, hinted, unchanged} from './reports.js';

export const engagement: Operations = {
  'GET /v1/reports/retention': {
    id: 'readRetention',
    tag: 'Reports',
    summary: 'Users who return, by cohort',
    description:
      'A cohort is the users with a start event in one bucket; each of its cells counts those who had a return event so many ' +
      'periods later. The start event itself is no return. With `breakdown`, by the start event, each value has such ' +
      'a row, and rows add up.',
    query: retentionForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The cohorts.',
        schema: retentionAnswer,
        isTable: true,
        headers: bucketed,
        example: {
          interval: 'day',
          cohorts: [
            {date: '2026-05-01', size: 1, cells: [{count: 1}, {count: 0}]},
            {date: '2026-05-02', size: 1, cells: [{count: 0}, {count: 0}]},
          ],
          overall: [
            {count: 1, size: 2, rate: 0.5},
            {count: 0, size: 2, rate: 0},
          ],
        },
      },
      304: unchanged,
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/reports/lifecycle': {
    id: 'readLifecycle',
    tag: 'Reports',
    summary: 'New, returning, resurrecting and dormant users over time',
    description:
      'The first bucket is read from its start, also where `from` lies within it. new + returning + resurrecting are the users ' +
      'of a bucket; returning + dormant are those of the bucket before.',
    query: lifecycleForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The users of each bucket.',
        schema: lifecycleAnswer,
        isTable: true,
        headers: bucketed,
        example: {
          interval: 'day',
          data: [
            {date: '2026-05-01', new: 1, returning: 0, resurrecting: 0, dormant: 0},
            {date: '2026-05-02', new: 1, returning: 0, resurrecting: 0, dormant: 1},
          ],
        },
      },
      304: unchanged,
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/reports/stickiness': {
    id: 'readStickiness',
    tag: 'Reports',
    summary: 'In how many buckets users are active',
    query: stickinessForm,
    isConditional: true,
    answers: {
      200: {
        description: 'Users by their number of buckets.',
        schema: stickinessAnswer,
        isTable: true,
        headers: bucketed,
        example: {
          interval: 'day',
          data: [
            {buckets: 1, users: 2},
            {buckets: 2, users: 0},
          ],
          total: 2,
        },
      },
      304: unchanged,
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
  'GET /v1/reports/paths': {
    id: 'readPaths',
    tag: 'Reports',
    summary: 'What users do after an event, or before it',
    description:
      'Each user has one path: from its first `start` event in the range on, or back from its last `end` event. The users of an ' +
      'event or an edge are all who had it at that step.',
    query: pathsForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The paths.',
        schema: pathsAnswer,
        isTable: true,
        headers: hinted,
        example: {
          depth: 4,
          steps: [
            [{event: 'signup', users: 2}],
            [
              {event: 'purchase', users: 1},
              {kind: 'end', users: 1},
            ],
            [{kind: 'end', users: 1}],
            [],
          ],
          edges: [
            {step: 1, from: {event: 'signup'}, to: {event: 'purchase'}, users: 1},
            {step: 1, from: {event: 'signup'}, to: {kind: 'end'}, users: 1},
            {step: 2, from: {event: 'purchase'}, to: {kind: 'end'}, users: 1},
          ],
        },
      },
      304: {...unchanged, headers: hinted},
    },
    errors: ['too_expensive', 'snapshot_gone', 'not_yet', 'unavailable'],
  },
};
