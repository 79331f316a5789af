// A trigger: something happened that an endpoint is to be told. It waits in the stream OUT, on the endpoint's subject.
//   TR1. Of a user it holds a reference alone: what is said is made at each attempt, by the owner of the partition. Of an erased
//       user nothing can be made any more.
//   TR2. Its id is a function of the log, or of published positions: what is told again after a crash has the same id.
import {createHash} from 'node:crypto';

export const triggerTypes = [
  'user.identified',
  'user.deleted',
  'funnel.completed',
  'funnel.stalled',
  'report.threshold',
  'report.revised',
  'test',
] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** Opaque to who delivers, but for the partition: no data of clients, but indexes, ids of ours and times. TR1 */
export interface EffectReference {
  readonly partition: number;
  readonly [field: string]: unknown;
}

export type Trigger = {
  readonly v: 1;
  /** `webhook-id`, for ever. TR2 */
  readonly id: string;
  readonly type: TriggerType;
  /** When it happened, epoch ms. */
  readonly timestampMs: number;
} & (
  | {readonly of: EffectReference}
  /** Names no user, but for `user_ref`. */
  | {readonly data: Readonly<Record<string, unknown>>}
);

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^27 > 2^160. */
const idLetters = 27;
const idBytes = 20;

/** `msg_` and 27 letters. The same parts have the same id, on each machine of the deployment. TR2 */
export function messageId(deploymentSecret: string, ...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['message', deploymentSecret, ...parts]))
    .digest();
  let rest = BigInt(`0x${digest.subarray(0, idBytes).toString('hex')}`);
  let text = '';
  for (let at = 0; at < idLetters; at++, rest /= 62n) text = letters[Number(rest % 62n)] + text;
  return `msg_${text}`;
}
