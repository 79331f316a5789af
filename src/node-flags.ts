// Flags with which Node runs the service. package.json (`npm start`) and the Dockerfile repeat them: a test compares.

/**
 * Garbage is collected by the thread that made it. State lies in typed arrays, so heaps are small and a collection is
 * short, while V8's four helper threads spend more on sharing it out than they save: with them batches cost 0.6 CPU
 * seconds a million events more, and on two cores they stand in the way of the threads that they help.
 */
export const nodeFlags: readonly string[] = ['--single-threaded-gc'];
