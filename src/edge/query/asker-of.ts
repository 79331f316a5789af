// Whose turn a question takes (src/pacing/dealt-slots.ts): that of the key, of the person, or of the share.
import type {Asker} from '../../asks/asker.js';
import type {Exchange} from '../http/exchange.js';

export const askerOf = (exchange: Exchange): Asker => ({caller: callerOf(exchange), gone: exchange.gone});

/** A person has one turn with all of their sessions. The admin token names nobody: each of its sessions has a turn. */
function callerOf({caller: {key, session}}: Exchange): string {
  if (key !== undefined) return `key ${key.id}`;
  if (session === undefined) return 'nobody';
  return session.by === 'admin' ? `session ${session.id}` : `person ${session.by}`;
}

/** All who read a share have one turn. */
export const shareCaller = (id: string): string => `share ${id}`;
