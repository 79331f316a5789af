// Reads stored events in the form that deliveries send.
import {userHashOf} from '../../actors/identity/user-hash.js';
import type {UserRefs} from '../user-ref.js';
import type {Endpoint} from './endpoint.js';
import {eventRule, eventsData, type StoredEvent, type ToldEvent, userKeyOf} from './message.js';
import type {Owners} from './owners.js';

/** Whether an endpoint takes several events at once. */
export const isBatched = ({batch}: Endpoint): boolean => batch.events > 1;

export class EventReader {
  private readonly owners: Owners;
  private readonly seeds: readonly [number, number, number];
  private readonly refs: UserRefs;

  /** `seeds`: the deployment's seeds (src/deployment-seeds.ts). */
  constructor(owners: Owners, seeds: readonly [number, number, number], refs: UserRefs) {
    this.owners = owners;
    this.seeds = seeds;
    this.refs = refs;
  }

  told(text: string, event: StoredEvent): ToldEvent {
    const key = userKeyOf(event);
    return {text, userRef: this.refs(userHashOf(this.seeds, key, 0, key.length))};
  }

  /** JSON of `data`; undefined: all of these events are erased, or the endpoint no longer wants them. @throws OwnerAway */
  async dataOf(partition: number, ordinals: readonly number[], endpoint: Endpoint): Promise<string | undefined> {
    const found: {readonly text: string; readonly event: StoredEvent}[] = [];
    const isWanted = eventRule(endpoint);
    for (let at = 0; at < ordinals.length; ) {
      const asked = ordinals.slice(at);
      const answer = await this.owners.ask(partition, {ask: 'bodies', ordinals: asked}, ['bodies']);
      for (const text of answer.events) if (text !== null) found.push({text, event: JSON.parse(text) as StoredEvent});
      at += Math.max(1, answer.events.length);
    }
    const events = found.filter(({event}) => isWanted(event)).map(({text, event}) => this.told(text, event));
    return events.length === 0 ? undefined : eventsData(events, isBatched(endpoint));
  }
}
