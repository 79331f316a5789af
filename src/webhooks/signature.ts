// Signatures of webhooks: Standard Webhooks 1.0.0 (https://github.com/standard-webhooks/standard-webhooks).
//   SG1. A secret that was replaced still signs for a day, so that the receiver can change over, however often others follow it.
import {createHmac, randomBytes} from 'node:crypto';
import type {Endpoint} from './endpoint.js';

const prefix = 'whsec_';
/** Bytes of a secret. The specification asks for 24 to 64. */
const secretBytes = 32;
export const rotationMs = 86_400_000;
/** Secrets that sign at once: each adds 47 characters to a header. */
export const secretsMax = 10;

export const newSecret = (): string => prefix + randomBytes(secretBytes).toString('base64');

/** The value of `webhook-signature`: one signature per secret, separated by spaces. */
export function signatures(secrets: readonly string[], id: string, timestampSeconds: number, body: string): string {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  };
  return secrets.map(sign).join(' ');
}

/** Secrets that sign now. */
export const validSecrets = ({secrets}: Pick<Endpoint, 'secrets'>, nowMs: number): string[] =>
  secrets.filter(({untilMs}) => untilMs === undefined || nowMs < untilMs).map(({value}) => value);

/** SG1 */
export const rotated = (secrets: Endpoint['secrets'], value: string, nowMs: number): Endpoint['secrets'] => [
  {value},
  ...secrets.flatMap((old) => {
    const {untilMs = nowMs + rotationMs} = old;
    return nowMs < untilMs ? [{...old, untilMs}] : [];
  }),
];
