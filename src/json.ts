// Parses JSON from outside, which may be invalid.

/** The parsed value; undefined, which JSON cannot express, for a text that is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
