// A start that cannot go on for a reason the operator can mend.

/** The message is one line: it is shown without a stack, and the process ends with code 1. */
export class StartFault extends Error {}
