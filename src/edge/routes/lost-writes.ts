// The failure of a write that was taken, and of which the log did not confirm that it is stored.
import {assert} from '../../../actors/invariant.js';
import type {Commit, MessageOutcome} from '../../ingest/log-message.js';
import {logUnavailable} from '../admission/obstacles.js';
import {type Failure, unavailable} from '../failure.js';

const safe = 'is safe to send again, an event with its messageId';
const refused = unavailable(`the log refused this write, which ${safe}`);
const unknown = unavailable(`the log did not respond: this write may or may not be stored, and ${safe}`);
/** The write is stored, or may be. */
export const lostLink = unavailable(
  `the log did not confirm that this anonymousId is this user: the write may be stored, and ${safe}`,
);

const failures: Readonly<Record<Exclude<MessageOutcome, 'stored'>, Failure>> = {
  unsent: logUnavailable,
  refused,
  unknown,
};

/** The failure of a commit that is settled, and not `stored`. */
export function lostWrite({outcome}: Commit): Failure {
  assert(outcome !== 'pending' && outcome !== 'stored', 'a lost write is settled');
  return failures[outcome];
}
