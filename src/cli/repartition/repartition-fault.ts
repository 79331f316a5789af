// A number of partitions that is not changed.

/** The message is a sentence for the operator. */
export class RepartitionFault extends Error {}
