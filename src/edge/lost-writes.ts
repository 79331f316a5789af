// What a client is told of a write that was taken and of which the log never said that it has it.
import type {Commit} from '../ingest/log-message.js';
import {type Failure, unavailable} from './failure.js';
import {logUnavailable} from './obstacles.js';

const safe = 'is safe to send again, an event with its messageId';
const refused = unavailable(`the log refused this write, which ${safe}`);
const unknown = unavailable(`the log did not answer: this write may be stored or not, and ${safe}`);

/** Of a commit that is not `stored`. */
export function lostWrite({outcome}: Commit): Failure {
  if (outcome === 'unsent') return logUnavailable;
  return outcome === 'refused' ? refused : unknown;
}
