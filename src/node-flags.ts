// Flags with which Node runs the service. package.json (`npm start`) and the Dockerfile repeat them: a test compares.

/**
 * Garbage is collected by the thread that made it. State lies in typed arrays, so heaps are small and a collection is
 * short, while V8's four helper threads spend more on sharing it out than they save: with them a million batched events
 * cost 3.4 and 4.3 CPU seconds on two cores, without them 3.0 and 3.1, and the p99 was 35 and 52 ms instead of 25.
 */
export const nodeFlags: readonly string[] = ['--single-threaded-gc'];
