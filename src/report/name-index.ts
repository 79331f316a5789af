import {wtf8} from '../../actors/bytes/bytes.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';

/** The event's index in this partition; -1 when it never happened there. */
export function nameIndex({names}: Pick<PartitionSnapshot, 'names'>, event: string): number {
  const bytes = wtf8(event);
  return names.find(bytes, 0, bytes.length);
}
