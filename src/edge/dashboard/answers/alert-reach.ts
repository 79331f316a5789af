// Whom an alert would reach.

export interface AlertReachAnswer {
  /** Number of webhooks and chats. */
  readonly reaches: number;
}
