// What the service says about one person, and about a deletion.
export interface Profile {
  readonly id: string;
  readonly traits: Readonly<Record<string, unknown>>;
  readonly traits_over_limit?: number;
  readonly created_at: string;
  readonly last_seen: string;
}

export interface Deletion {
  readonly id: string;
  readonly status: 'pending' | 'completed';
  readonly log_position: string | null;
  readonly events_deleted: number | null;
  readonly completed_at: string | null;
  readonly verified: readonly string[] | null;
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value;
}

export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
