// What the shop sells, and what its event of a page view is called.

export interface Product {
  readonly id: string;
  readonly category: string;
  /** Cents. */
  readonly price: number;
}

export const pageViewed = 'page';

export const categories = ['shoes', 'shirts', 'bags', 'watches', 'outdoor', 'kitchen'];
export const products: readonly Product[] = categories.flatMap((category, c) =>
  Array.from({length: 8}, (_, p) => ({
    id: `${category}-${p + 1}`,
    category,
    price: 990 + 1_000 * ((c * 7 + p * 5) % 19) + 500 * c,
  })),
);
