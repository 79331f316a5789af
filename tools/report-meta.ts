// The `meta` of reports and lists says how fresh an answer is: it differs between two answers that say the same.

/** The text of an answer without its last member `meta`, if it has one. */
export function withoutMeta(text: string): string {
  const at = text.lastIndexOf(',"meta":{"as_of":"');
  return at === -1 ? text : `${text.slice(0, at)}}`;
}
