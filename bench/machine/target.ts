// Something that takes load: a floor server or the service.

export interface Target {
  readonly host: string;
  readonly port: number;
  /** The root of its processes. */
  readonly pid: number;
  stop(): Promise<void>;
}
