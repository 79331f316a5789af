// An entry of the shop: an event, or an identify, as the JSON text of its request body.

export interface ShopEntry {
  readonly kind: 'event' | 'identify';
  /** The `timestamp` of the body. */
  readonly timeMs: number;
  readonly json: string;
}
