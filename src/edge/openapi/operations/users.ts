// Users: their profiles, and their deletion.
import {identifySchema} from '../../../ingest/schemas.js';
import {identifyAnswer, linksAnswer} from '../../answers/ingestion.js';
import {
  deletedAnswer,
  deletionAnswer,
  deletionPendingAnswer,
  goneAnswer,
  nameDeletedAnswer,
  nameDeletionPendingAnswer,
  nameGoneAnswer,
  profileAnswer,
  unknownUserAnswer,
} from '../../answers/users.js';
import {userForm, userPathForm} from '../../query/asked-user.js';
import {askedId} from '../../query/parameters.js';
import {noParameters} from '../../query/query.js';
import {deletionForm, deletionIdPattern, exampleDeletionId, nameForm} from '../../routes/deletions.js';
import {linksBody} from '../../routes/links.js';
import {inPath, type Operation, type Operations} from '../operation.js';
import {purchase} from './examples.js';

const userPath = {
  id: {description: 'The userId, percent-encoded.', schema: askedId.schema, example: 'grace'},
};
const receipt = {
  id: exampleDeletionId,
  status: 'completed',
  log_position: '2:1.42',
  events_deleted: 2,
  completed_at: '2026-05-02T18:00:02.000Z',
  verified: [
    'state: the live state, and both kept snapshots (from 2:1.44 on), were written without the user',
    'parts: 13 values of older snapshots were overwritten, and a read of each found nothing',
    'log: it begins at 2:1.44, after the erase entry; the storage blocks before were removed',
    'reach: every file under DATA_DIR, except definitions that people wrote (named_by)',
  ],
  named_by: [],
};
const pending = {...receipt, status: 'pending', completed_at: null, verified: null};

/** The service's clock decides which timestamps are in the future: no schema can express that. */
export const identify = identifySchema(() => Number.POSITIVE_INFINITY);

const getUser: Operation = {
  id: 'getUser',
  tag: 'Users',
  summary: 'Read a profile',
  description:
    'Live: every event that was acknowledged before is seen. A user exists once an event or identify names it.',
  query: userForm,
  answers: {
    200: {
      description: 'The profile, with the newest events.',
      schema: profileAnswer,
      example: {
        id: 'ada',
        anonymous_ids: [],
        traits: {name: 'Ada Lovelace', plan: 'pro'},
        created_at: '2026-05-01T12:00:00.000Z',
        last_seen: '2026-05-01T12:30:00.000Z',
        events: [
          purchase,
          {
            id: '2-0',
            event: 'signup',
            userId: 'ada',
            anonymousId: null,
            properties: {plan: 'pro'},
            timestamp: '2026-05-01T12:00:00.000Z',
            received_at: '2026-05-01T12:00:00.125Z',
          },
        ],
        events_has_more: false,
      },
    },
    404: {
      description:
        'There is no such user. An `anonymousId` that is a known user is found there alone: `linked_to` names it.',
      schema: unknownUserAnswer,
      example: {error: {code: 'user_not_found', message: 'no such user'}, linked_to: 'ada'},
    },
  },
  errors: ['user_not_found', 'unavailable'],
};

const deleteUser: Operation = {
  id: 'deleteUser',
  tag: 'Users',
  summary: 'Delete a user for ever',
  description:
    'Removes the user with all events, those of its anonymous ids, and traits, on disk too. It cannot be undone. An ' +
    '`anonymousId` that is a known user is deleted with that user.',
  query: userForm,
  answers: {
    200: {
      description: 'Done, with the receipt.',
      schema: deletedAnswer,
      example: {status: 'deleted', id: 'ada', deletion: receipt},
    },
    202: {
      description:
        'The deletion takes longer than five seconds, or an earlier one of this user is under way. It continues in the background.',
      schema: deletionPendingAnswer,
      headers: {always: ['Location']},
      example: {status: 'pending', id: 'ada', deletion: pending},
    },
    404: {
      description:
        'There is no such user. Its deletion is named if it was completed within 30 days. `linked_to` ' +
        'names the user that an `anonymousId` is.',
      schema: goneAnswer,
      example: {error: {code: 'user_not_found', message: 'no such user'}, deletion: receipt},
    },
  },
  errors: ['user_not_found', 'unavailable'],
};

const deleteName: Operation = {
  id: 'deleteName',
  tag: 'Events',
  summary: 'Delete all events of a name for ever',
  description:
    'Removes the name and its events of all users, on disk too. Every answer is as if they had never been there; users of whom ' +
    'nothing else is left are known no more. It cannot be undone. Events of the name that come meanwhile may be deleted, too.',
  query: nameForm,
  answers: {
    200: {
      description: 'Done, with the receipt.',
      schema: nameDeletedAnswer,
      example: {status: 'deleted', event: 'sign_up_4711', deletion: receipt},
    },
    202: {
      description: 'The deletion takes longer than five seconds. It continues in the background.',
      schema: nameDeletionPendingAnswer,
      headers: {always: ['Location']},
      example: {status: 'pending', event: 'sign_up_4711', deletion: pending},
    },
    404: {
      description:
        'There is no event of this name. Its deletion is named when it is under way, or was completed within 30 days.',
      schema: nameGoneAnswer,
      example: {error: {code: 'not_found', message: 'there is no event of this name'}, deletion: receipt},
    },
  },
  errors: ['not_found', 'unavailable'],
};

const getDeletion: Operation = {
  id: 'getDeletion',
  tag: 'Users',
  summary: 'Read the receipt of a deletion',
  query: deletionForm,
  answers: {
    200: {
      description: 'How far it is. The user is not named.',
      schema: deletionAnswer,
      example: {deletion: receipt},
    },
  },
  errors: ['not_found', 'unavailable'],
};

export const users: Operations = {
  'POST /v1/users/identify': {
    id: 'identifyUser',
    tag: 'Users',
    summary: 'Set traits of a user',
    description:
      'Sets the given traits, the top level key by key; the others stay. With a `timestamp` it sets ' +
      'only what no later identify has set; a timestamp ahead of the receipt counts as the receipt. With a `messageId` a retry ' +
      'is acknowledged and changes nothing, also once the user is deleted. With an `anonymousId` the events of that ' +
      'anonymous user become events of this user.',
    body: {
      schema: identify,
      example: {
        userId: 'ada',
        traits: {name: 'Ada Lovelace', plan: 'pro'},
        messageId: '0d7b-42',
        timestamp: '2026-05-01T12:00:00Z',
      },
    },
    answers: {
      200: {
        description: 'The traits are stored.',
        schema: identifyAnswer,
        headers: {sometimes: ['Log-Position', 'Ignored-Fields', 'Access-Control-Expose-Headers']},
        example: {status: 'ok', userId: 'ada'},
      },
    },
    errors: [],
  },
  'POST /admin/v1/links': {
    id: 'addLinks',
    tag: 'Users',
    summary: 'Join what was stored with both ids while joining was off',
    description:
      'For `npm run relink`, which reads the pairs from the history. Each `anonymousId` is joined to its `userId`, as an ' +
      'event with both ids does it. With `IDENTITY_JOIN=off` it is refused.',
    query: noParameters,
    body: {schema: linksBody, example: {links: [{userId: 'grace', anonymousId: 'browser-7'}]}},
    answers: {
      200: {
        description: 'The links are on disk.',
        schema: linksAnswer,
        example: {stored: 1, unknown: 0},
      },
    },
    errors: ['unavailable'],
  },
  'GET /v1/user': getUser,
  'DELETE /v1/user': deleteUser,
  'DELETE /v1/name': deleteName,
  'GET /v1/deletion': getDeletion,
  'GET /v1/users/{id}': inPath(getUser, {
    id: 'getUserInPath',
    instead: '`GET /v1/user`',
    path: userPath,
    query: userPathForm,
  }),
  'DELETE /v1/users/{id}': inPath(deleteUser, {
    id: 'deleteUserInPath',
    instead: '`DELETE /v1/user`',
    path: userPath,
    query: userPathForm,
  }),
  'GET /v1/deletions/{id}': inPath(getDeletion, {
    id: 'getDeletionInPath',
    instead: '`GET /v1/deletion`',
    path: {
      id: {
        description: 'As it was answered.',
        schema: {type: 'string', pattern: deletionIdPattern.source},
        example: exampleDeletionId,
      },
    },
    query: noParameters,
  }),
};
