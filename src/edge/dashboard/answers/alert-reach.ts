// Whom an alert would reach that names nobody.

export interface AlertReachAnswer {
  /** Number of webhooks and chats. */
  readonly reaches: number;
}
