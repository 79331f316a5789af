// Whom an alert or a digest would reach.

export interface ReachAnswer {
  /** Number of webhooks, chats and mail addresses. */
  readonly reaches: number;
  /** Their ids. */
  readonly endpoints: readonly string[];
}
