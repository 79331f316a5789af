// Single events as the API answers them.

export interface HistoryEvent {
  readonly id: string;
  readonly event: string;
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
  readonly timestamp: string;
  readonly receivedAt?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

export interface HistoryAnswer {
  readonly data: readonly HistoryEvent[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
