/** The published set that a pass judges. */
export interface PublishedSet {
  /** End of what it includes, epoch ms. */
  readonly asOfMs: number;
  /** `Report-Log-Position`; empty for a lag, which is judged by the clock. */
  readonly positions: string;
  /** Period in which each partition publishes; 0 for a lag. */
  readonly refreshMs: number;
}
