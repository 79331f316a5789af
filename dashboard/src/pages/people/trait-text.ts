// A trait as text, with its type.

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value;
}

export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
