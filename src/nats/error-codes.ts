// Errors of JetStream that Millrace tells apart, by their numbers.
import {JetStreamApiError} from '@nats-io/jetstream';
import {ClosedConnectionError, ConnectionError, RequestError, TimeoutError} from 'nats';

/** A cluster: the stream or consumer has no leader. */
const noLeader = 10_008;
export const consumerNotFound = 10_014;
export const messageNotFound = 10_037;
export const sequenceNotFound = 10_043;
export const deletionFailed = 10_057;
export const streamNotFound = 10_059;
/** A compare-and-set lost. */
export const wrongLastSequence = 10_071;
/** A cluster: a message with the same id is on its way to a majority. */
export const appendInProcess = 10_158;
/** A cluster: another compare-and-set of the same record is on its way to a majority. */
export const writeUnderWay = 10_164;

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof JetStreamApiError && codes.includes(error.code);

/** A cluster that elects a leader answers with an error, or not at all. */
export const isWithoutLeader = (error: unknown): boolean => error instanceof TimeoutError || hasCode(error, noLeader);

/** NATS did not answer: it is away, silent, or elects a leader. A retry helps. */
export const isSilence = (error: unknown): boolean =>
  isWithoutLeader(error) ||
  [RequestError, ConnectionError, ClosedConnectionError].some((silence) => error instanceof silence);

/** A publish that no stream takes. The client's own message says that JetStream is not enabled. */
export const isUnheard = ({cause}: Error): boolean => cause instanceof RequestError && cause.isNoResponders();

export const reasonOf = (error: Error): string =>
  isUnheard(error) ? 'no stream takes it: it is not there, has no leader now, or JetStream is off' : error.message;
