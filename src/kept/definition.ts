// A definition: a record of the bucket of hooks that a client made, with a generated id.
import {randomBytes} from 'node:crypto';

export interface Definition {
  readonly v: 1;
  readonly id: string;
  /** Epoch ms. */
  readonly createdMs: number;
}

/** Prefixes of ids: endpoints, saved funnels, alerts, segments, described names; saved reports of the dashboard, links that share one, boards, annotations, digests. */
export type DefinitionPrefix = 'wh' | 'fn' | 'al' | 'sr' | 'sh' | 'bd' | 'an' | 'sg' | 'nm' | 'dg';

export const newDefinitionId = (prefix: DefinitionPrefix): string => `${prefix}_${randomBytes(8).toString('hex')}`;

export const isDefinitionId = (prefix: DefinitionPrefix, text: string): boolean =>
  text.startsWith(`${prefix}_`) && /^[0-9a-f]{16}$/.test(text.slice(prefix.length + 1));
