// JSON from outside, which may be invalid.

/** Undefined for a text that is not JSON: JSON itself cannot express it. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
