// A trigger: something happened that an endpoint is notified of. It waits in the stream OUT, on the endpoint's subject.
//   TR1. A trigger holds only a reference to a user. The owner of the partition makes the data at each attempt, and makes none for an
//        erased user.
//   TR2. Its id is a function of the log, or of published positions: a trigger that is queued again after a crash has the same id.
import {createHash} from 'node:crypto';

const triggerTypes = [
  'user.identified',
  'user.deleted',
  'funnel.completed',
  'funnel.stalled',
  'report.threshold',
  'report.revised',
  'report.digest',
  'test',
] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** A reference that only the partition's owner reads: indexes, generated ids and times, no data of clients. TR1 */
export interface EffectReference {
  readonly partition: number;
  readonly [field: string]: unknown;
}

export type Trigger = {
  readonly v: 1;
  /** `webhook-id`, the same at each attempt. TR2 */
  readonly id: string;
  readonly type: TriggerType;
  /** Time of the occurrence, epoch ms. */
  readonly timestampMs: number;
} & (
  | {readonly of: EffectReference}
  /** Data that names no user except by `user_ref`. */
  | {readonly data: Readonly<Record<string, unknown>>}
);

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Letters of an id: 62^27 > 2^160. */
const idLetters = 27;
const idBytes = 20;

/** `msg_` and 27 letters. Equal parts have equal ids on every machine of the deployment. TR2 */
export function messageId(deploymentSecret: string, ...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['message', deploymentSecret, ...parts]))
    .digest();
  let rest = BigInt(`0x${digest.subarray(0, idBytes).toString('hex')}`);
  let text = '';
  for (let at = 0; at < idLetters; at++, rest /= 62n) text = letters[Number(rest % 62n)] + text;
  return `msg_${text}`;
}
