// The way of triggers into the stream OUT.
import type {JetStreamClient} from '@nats-io/jetstream';
import {triggerSubject} from '../nats/topology.js';
import type {Trigger} from './trigger.js';

/**
 * Resolves when the stream has the trigger. A second copy within two minutes is dropped there; a later one is the receiver's to
 * drop, by its id. Rejects when the stream does not answer, or has no room: the outcome is unknown then, and to try again is safe.
 */
export async function publishTrigger(js: JetStreamClient, endpointId: string, trigger: Trigger): Promise<void> {
  // With the endpoint, as several may be told the same.
  await js.publish(triggerSubject(endpointId), JSON.stringify(trigger), {msgID: `${endpointId}.${trigger.id}`});
}
