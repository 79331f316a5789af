// A target of load: a floor server, the service, or a peer.

export interface Target {
  readonly host: string;
  readonly port: number;
  /** Root of its processes; several if they do not start each other. */
  readonly pid: number | readonly number[];
  /** Whether reports include everything acknowledged before this epoch ms; absent: they always do. */
  readonly covers?: (wallMs: number) => Promise<boolean>;
  stop(): Promise<void>;
}
