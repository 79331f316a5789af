// Accept-Encoding (RFC 9110, 12.5.3): the coding of an answer that the client prefers.

/** In the order of preference where the client has none. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

const weightForm = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Weights by coding. An element with a weight of another form counts as absent. */
function weightsIn(accepted: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of accepted.toLowerCase().split(',')) {
    const [name = '', weight, ...more] = element.split(';').map((part) => part.trim());
    const found = weight === undefined ? '1' : weightForm.exec(weight)?.[1];
    if (found !== undefined && more.length === 0) weights.set(name, Number(found));
  }
  return weights;
}

/**
 * One of `offered`; undefined: the answer is sent as it is. That is so without the header, and where the client weighs `identity` more
 * than any of them. A client that refuses everything gets the plain answer, too: it is of more use than a refusal.
 */
export function encodingFor(accepted: string, offered: readonly Encoding[] = encodings): Encoding | undefined {
  if (accepted === '') return undefined;
  const weights = weightsIn(accepted);
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Encoding | undefined;
  for (const name of offered) if (weightOf(name) > (best === undefined ? 0 : weightOf(best))) best = name;
  return best === undefined || (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}
