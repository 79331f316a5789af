// A client's own text in a message to that client: short, and without characters that a terminal would execute.

/** Characters of a text that a message repeats. */
const shownCharsMax = 40;

export function shown(text: string): string {
  const characters = [...text.slice(0, 2 * shownCharsMax + 2)];
  const isCut = characters.length > shownCharsMax;
  const kept = Buffer.from(characters.slice(0, shownCharsMax).join('')).toString(); // No lone surrogates.
  return kept.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?') + (isCut ? '…' : '');
}

/** Place of a value in an event, such as `properties.cart[2].id`. */
export function shownPath(path: readonly (string | number)[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${shown(part)}`));
  return parts.join('').replace(/^\./, '');
}
