// The answer of a process that delivers webhooks, on `askDeliverSubject`.
import type {EndpointMeasures} from '../effects/deliverer.js';
import type {ThreadMeasures} from '../measures.js';

export interface DeliverAnswer {
  readonly kind: 'measures';
  readonly endpoints: readonly EndpointMeasures[];
  readonly thread: ThreadMeasures;
}
