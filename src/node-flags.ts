// Flags with which Node runs the service. package.json (`npm start`) and the Dockerfile repeat them: a test compares.

/**
 * Garbage is collected by the thread that made it. State lies in typed arrays, so heaps are small and a collection is
 * short, while V8's four helper threads spend more on sharing it out than they save: with them a million batched events
 * cost 3.4 and 4.3 CPU seconds on two cores, without them 3.0 and 3.1, and the p99 was 35 and 52 ms instead of 25.
 *
 * A heap may grow to four times what the last collection left. V8 counts the bytes of buffers as part of it, and messages
 * come and go at 100 MB a second beside some 10 MB of objects: with its own factor the edge marked all of its heap twice
 * a second, in steps of 5 ms.
 *
 * The young generation has 2 MiB instead of 16, as a collection of it also frees the buffers of what came since the last:
 * the edge stood still for 2 to 3 ms each time, and up to 8, now for 0.6 to 0.8, and up to 3. A million single events cost the
 * process 17.8 CPU seconds instead of 19.0, batched ones as many as before.
 *
 * Code is compiled by one thread instead of four. All are busy at once where new code becomes hot, and on two cores the edge
 * then waits for two slices of 4 ms of them: with single events, of what the service's threads and the load generator ran while
 * the edge waited for more than 2 ms, a third was compiling (8 s, as the scheduler tells). A start takes as long as before.
 */
export const nodeFlags: readonly string[] = [
  '--single-threaded-gc',
  '--heap-growing-percent=300',
  '--max-semi-space-size=2',
  '--v8-pool-size=1',
];
