// Something that takes load: a floor server, the service, or a peer.

export interface Target {
  readonly host: string;
  readonly port: number;
  /** The root of its processes; several where one does not start the other. */
  readonly pid: number | readonly number[];
  /** Whether reports include everything that was acknowledged before this epoch ms; absent where they always do. */
  readonly covers?: (wallMs: number) => Promise<boolean>;
  stop(): Promise<void>;
}
