// What a digest told last, as its record has it (digests.ts DG1).
import type {WaitingMessage} from '../alerts/kept-records.js';

export interface ToldRecord {
  /** End of what was told last, or passed over, epoch ms. */
  readonly toldMs: number;
  readonly waiting: readonly WaitingMessage[];
}

/** Name of the record of a digest in the bucket of definitions. */
export const toldName = (digestId: string): string => `st.${digestId}`;
