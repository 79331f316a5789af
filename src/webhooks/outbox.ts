// Queues triggers in the stream OUT.
import type {JetStreamClient} from '@nats-io/jetstream';
import {triggerSubject} from '../nats/topology.js';
import type {Trigger} from './trigger.js';

/**
 * Resolves when the stream has the trigger. The stream drops a second copy within two minutes; the receiver drops a later one by
 * its id. Rejects when the stream does not answer, or has no room: the outcome is unknown then, and a retry is safe.
 */
export async function publishTrigger(js: JetStreamClient, endpointId: string, trigger: Trigger): Promise<void> {
  // The id includes the endpoint, because several may get the same trigger.
  await js.publish(triggerSubject(endpointId), JSON.stringify(trigger), {msgID: `${endpointId}.${trigger.id}`});
}
