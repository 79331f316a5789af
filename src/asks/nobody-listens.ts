/** No process listens to a question: the role starts, its partition moves, or no process has the role. */
export class NobodyListens extends Error {
  constructor(options?: ErrorOptions) {
    super('nobody listens to this question', options);
  }
}
