// What one message carries: a server's `max_payload` beside the largest messages of all roles. Which of them a process writes
// depends on its roles, and all roles meet in one NATS: what it must carry is the same for each of them.
import type {NatsConnection} from 'nats';
import {assert} from '../../actors/invariant.js';
import {entryBytesMax, logMessageBytesMax} from '../../actors/limits.js';
import {replyBytesMax} from '../asks.js';
import {StartFault} from '../start-fault.js';

/** NATS counts the headers of a message towards its payload limit. */
export const headersBytesMax = 1_024;

/** The filler of a deletion needs nearly all of it. NATS carries 1 MiB unless it is told otherwise; `1M` is a million there. */
export const payloadBytesMin = 1_000_000;
assert(2 * entryBytesMax + headersBytesMax <= payloadBytesMin, 'any entry fits a log message');
assert(replyBytesMax + headersBytesMax <= payloadBytesMin, 'a full reply is carried');

/** Of a log message: a server that is restarted may carry less than before, down to the least. */
export const carriedBytesMax = payloadBytesMin - headersBytesMax;
assert(carriedBytesMax <= logMessageBytesMax, 'a log message may be as long as NATS carries it');

/** Why the server that we are connected to does not do; undefined where it does, and while there is none. */
export function payloadFault(nc: NatsConnection): string | undefined {
  const carried = nc.info?.max_payload ?? payloadBytesMin;
  if (carried >= payloadBytesMin) return undefined;
  return `the NATS server's max_payload is ${carried}: at least ${payloadBytesMin} are needed, and 1048576 is its default`;
}

/** Less would be found out by the first message that is too large, which would be tried for ever. */
export function checkPayload(nc: NatsConnection): void {
  const fault = payloadFault(nc);
  if (fault !== undefined) throw new StartFault(fault);
}
