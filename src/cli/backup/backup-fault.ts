// A backup that cannot be made.

/** The message is a sentence for the operator. */
export class BackupFault extends Error {}
