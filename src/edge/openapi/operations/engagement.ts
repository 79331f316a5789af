// Reports about what users do over time.
import {retentionAnswer} from '../../answers.js';
import {retentionForm} from '../../routes/retention.js';
import type {Operations} from '../operation.js';
import {bucketed, unchanged} from './reports.js';

export const engagement: Operations = {
  'GET /v1/reports/retention': {
    id: 'readRetention',
    tag: 'Reports',
    summary: 'Users who return, by cohort',
    description:
      'A cohort is the users with a start event in one bucket; each of its cells counts those who had a return event so many ' +
      'periods later. The start event itself is no return. With `breakdown`, by the start event, each value has a row with ' +
      'the same fields, and rows add up.',
    query: retentionForm,
    isConditional: true,
    answers: {
      200: {
        description: 'The cohorts.',
        schema: retentionAnswer,
        hasCsv: true,
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
    errors: ['snapshot_gone', 'not_yet', 'unavailable'],
  },
};
