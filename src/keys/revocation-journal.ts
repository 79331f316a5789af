// What the journal of revocations gets (src/revocations.ts): it is kept outside of DATA_DIR, so that a restored backup brings
// nothing back.

/** `key`: also the token of a person. `sessions`: all that began at `atMs` or before, epoch ms. */
export type Revoked =
  | {readonly what: 'key' | 'share'; readonly id: string}
  | {readonly what: 'sessions'; readonly atMs: number};

export interface RevocationJournal {
  /** Durable once it resolves. Never rejects: a revocation holds without its line. */
  add(revoked: Revoked): Promise<void>;
}

/** Journal of a process without a disk: tests. */
export const noRevocationJournal: RevocationJournal = {add: async () => undefined};
