// The answer of a process that delivers webhooks, on `askDeliverSubject`.
import type {ThreadMeasures} from '../measures.js';

export interface DeliverAnswer {
  readonly kind: 'measures';
  readonly thread: ThreadMeasures;
}
