// State of the service.

/** The answers of `/readyz` and `/healthz` in one, for the side of every page. */
export interface StateAnswer {
  readonly status: 'ready' | 'not_ready';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly durability: 'power-cut' | 'process-crash';
  readonly version: string;
}
