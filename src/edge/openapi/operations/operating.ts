// Routes for operators, and the description for developers.

import {version} from '../../../version.js';
import {callerAnswer} from '../../answers/caller.js';
import {healthAnswer, readinessAnswer} from '../../answers/operating.js';
import {assistantMessage} from '../../mcp/route.js';
import {noParameters} from '../../query/query.js';
import type {Answer, AnswerHeaders, Operation, Operations} from '../operation.js';

const ofDocument: AnswerHeaders = {always: ['ETag', 'Vary'], sometimes: ['Content-Encoding']};
const ofPage: AnswerHeaders = {
  ...ofDocument,
  always: ['ETag', 'Vary', 'Content-Security-Policy', 'Referrer-Policy'],
};
const unchangedDocument: Answer = {
  description: 'You have it: the `ETag` is that of `If-None-Match`.',
  headers: ofDocument,
};

const ofScript: AnswerHeaders = {
  ...ofDocument,
  always: ['ETag', 'Vary', 'Access-Control-Allow-Origin', 'Cross-Origin-Resource-Policy'],
};
const script: Omit<Operation, 'id' | 'summary'> = {
  tag: 'Operations',
  hasTag: true,
  description: 'For pages of every origin: they send events with it. A query is ignored.',
  answers: {
    200: {description: 'JavaScript.', media: 'text/javascript', headers: ofScript},
    304: {...unchangedDocument, headers: ofScript},
  },
  errors: ['unavailable'],
};

export const operating: Operations = {
  'GET /v1': {
    id: 'readCaller',
    tag: 'API keys',
    summary: 'See which key asks',
    description: 'What it may do, and within which limits.',
    query: noParameters,
    answers: {200: {description: 'The key.', schema: callerAnswer}},
    errors: [],
  },
  'POST /mcp': {
    id: 'assistants',
    tag: 'Reports',
    summary: 'Ask as an AI assistant, by the Model Context Protocol',
    description: 'A JSON-RPC message, for programs that speak the protocol; its tools change nothing.',
    query: noParameters,
    body: {
      schema: assistantMessage,
      example: {jsonrpc: '2.0', id: 1, method: 'tools/list'},
    },
    answers: {200: {description: 'The JSON-RPC answer.', media: 'application/json'}, 202: {description: 'Taken.'}},
    errors: ['origin_not_allowed'],
  },
  'GET /healthz': {
    id: 'health',
    tag: 'Operations',
    summary: 'Liveness',
    answers: {
      200: {
        description: 'The process lives.',
        schema: healthAnswer,
        example: {status: 'ok', durability: 'power-cut', version: '0.2.0', commit: '0123456789ab'},
      },
    },
    errors: ['invalid_request'],
  },
  'GET /readyz': {
    id: 'readiness',
    tag: 'Operations',
    summary: 'Readiness',
    answers: {
      200: {
        description: 'The log is reachable, and all partitions and reports are caught up.',
        schema: readinessAnswer,
        example: {status: 'ready', reasons: [], warnings: [], notes: []},
      },
      503: {
        description: 'The service is starting, stopping, or behind its log.',
        schema: readinessAnswer,
        headers: {always: ['Retry-After']},
        example: {status: 'not_ready', reasons: ['partition 2 is recovering'], warnings: [], notes: []},
      },
    },
    errors: ['invalid_request'],
  },
  'GET /metrics': {
    id: 'metrics',
    tag: 'Operations',
    summary: 'Metrics',
    answers: {200: {description: 'The text format of Prometheus.', media: 'text/plain'}},
    errors: ['invalid_request', 'unavailable'],
  },
  'GET /openapi.json': {
    id: 'description',
    tag: 'Operations',
    hasTag: true,
    summary: 'This description, OpenAPI',
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        media: 'application/json',
        headers: ofDocument,
      },
      304: unchangedDocument,
    },
    errors: ['invalid_request', 'rate_limited', 'unavailable'],
  },
  'GET /docs': {
    id: 'documentation',
    tag: 'Operations',
    hasTag: true,
    summary: 'This description, a page',
    answers: {
      200: {
        description: 'HTML that loads nothing from other places.',
        media: 'text/html',
        headers: ofPage,
      },
      304: {...unchangedDocument, headers: ofPage},
    },
    errors: ['invalid_request', 'rate_limited', 'unavailable'],
  },
  'GET /licenses': {
    id: 'licenses',
    tag: 'Operations',
    hasTag: true,
    summary: 'Licences of bundled packages',
    answers: {
      200: {
        description:
          'Name, version and licence text of every package whose code, font or icons the service and its pages contain.',
        media: 'text/plain',
        headers: ofDocument,
      },
      304: unchangedDocument,
    },
    errors: ['invalid_request', 'rate_limited', 'unavailable'],
  },
  'GET /sdk.js': {...script, id: 'sdkScript', summary: 'Script for pages, the newest; caches keep it for an hour'},
  [`GET /sdk-${version}.js`]: {
    ...script,
    id: 'sdkScriptOfVersion',
    summary: 'Script for pages of this version; caches keep it for ever',
  },
};
