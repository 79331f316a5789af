// The size of one message: a server's `max_payload`, and the largest messages of all roles. All roles meet in one NATS, so each
// process checks the same size, whatever its own roles write.
import type {NatsConnection} from 'nats';
import {assert} from '../../actors/invariant.js';
import {entryBytesMax, logMessageBytesMax} from '../../actors/limits.js';
import {replyBytesMax} from '../asks/subjects.js';
import {StartFault} from '../start-fault.js';

/** NATS counts the headers of a message towards its payload limit. */
export const headersBytesMax = 1_024;

/** The filler of a deletion needs nearly all of it. The default of NATS is 1 MiB; `1M` in its configuration is a million. */
export const payloadBytesMin = 1_000_000;
assert(2 * entryBytesMax + headersBytesMax <= payloadBytesMin, 'any entry fits a log message');
assert(replyBytesMax + headersBytesMax <= payloadBytesMin, 'a full reply is carried');

/** Bytes of a log message: a restarted server may carry less than before, down to `payloadBytesMin`. */
export const carriedBytesMax = payloadBytesMin - headersBytesMax;
assert(carriedBytesMax <= logMessageBytesMax, 'a log message may be as long as NATS carries it');

/** Why the connected server does not suffice; undefined when it does, and while there is none. */
export function payloadFault(nc: NatsConnection): string | undefined {
  const carried = nc.info?.max_payload ?? payloadBytesMin;
  if (carried >= payloadBytesMin) return undefined;
  return `the NATS server's max_payload is ${carried}: at least ${payloadBytesMin} are needed, and 1048576 is its default`;
}

/** A start checks: otherwise the first message that is too large would be tried for ever. */
export function checkPayload(nc: NatsConnection): void {
  const fault = payloadFault(nc);
  if (fault !== undefined) throw new StartFault(fault);
}
