// The outbox of a deployment: its endpoints and saved funnels, and the stream of triggers.
import type {JetStreamClient} from '@nats-io/jetstream';
import type {KeptStore} from '../kept/kept-store.js';
import {savedFunnelsOf} from '../kept/saved-funnel.js';
import {userRefs} from '../user-ref.js';
import {publishTrigger} from '../webhooks/outbox.js';
import {messageId} from '../webhooks/trigger.js';
import type {Outbox} from './effects.js';

export function hookOutbox(store: KeptStore, js: JetStreamClient, deploymentSecret: string): Outbox {
  const userRefOf = userRefs(deploymentSecret);
  const funnels = savedFunnelsOf(store);
  return {
    endpointsOf: (type, names, logMs) => {
      const wanting = names.length === 0 ? store.wants(type) : names.flatMap((name) => store.wants(type, name));
      return [...new Set(wanting.filter(({createdMs}) => createdMs <= logMs).map(({id}) => id))];
    },
    publish: (endpoint, trigger) => publishTrigger(js, endpoint, trigger),
    idOf: (...parts) => messageId(deploymentSecret, ...parts),
    userRefOf,
    funnels: () => funnels.list(),
  };
}
