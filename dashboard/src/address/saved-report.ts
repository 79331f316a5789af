// Saved reports in words and in order.

/** A number that is a place between two others; before the first, or after the last one, where one of them is undefined. */
export const placeBetween = (before: number | undefined, after: number | undefined): number => {
  if (before !== undefined && after !== undefined) return (before + after) / 2;
  return before === undefined ? (after ?? 1) - 1 : before + 1;
};

/** The folder of a name, empty for none: `Growth / Weekly` is `Weekly` in `Growth`. */
export function folderOf(name: string): {readonly folder: string; readonly leaf: string} {
  const at = name.lastIndexOf('/');
  const [folder, leaf] = [name.slice(0, Math.max(0, at)).trim(), name.slice(at + 1).trim()];
  return folder === '' || leaf === '' ? {folder: '', leaf: name} : {folder, leaf};
}

const eventNames = ['start', 'event', 'step', 'return'];

/** Short text of what a page asks: `signup, login; 30d`. `search`: the query of its address. */
export function summaryOf(search: string): string {
  const given = new URLSearchParams(search);
  const events = eventNames.flatMap((name) => given.getAll(name)).map((name) => (name === '' ? 'any event' : name));
  const parts = [events.join(', '), given.get('range') ?? ''];
  return parts.filter((part) => part !== '').join('; ');
}
