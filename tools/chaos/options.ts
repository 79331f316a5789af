// The command line of `npm run chaos`.

export interface Options {
  readonly nemesis: string;
  readonly rounds: number;
  readonly seed: number;
  /** Factor of the times until writes are answered, the service is ready and webhooks are taken, for busy machines. */
  readonly patience: number;
  /** Requests that each client sends in a round before it slows down. */
  readonly things: number;
  /** Keeps the run's folder also when nothing broke. */
  readonly keep: boolean;
}

export const usage = (names: readonly string[]): string =>
  `usage: npm run chaos -- NEMESIS [--rounds N] [--seed S] [--patience N] [--things N] [--keep]\n  NEMESIS: ${names.join(', ')}`;

/** Undefined for an invalid command line. */
export function readOptions(args: readonly string[], names: readonly string[]): Options | undefined {
  const [nemesis, ...rest] = args;
  if (nemesis === undefined || !names.includes(nemesis)) return undefined;
  const options = {nemesis, rounds: 10, seed: 1, patience: 1, things: 1_200, keep: false};
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === '--keep') options.keep = true;
    else if (word === '--rounds' || word === '--seed' || word === '--patience' || word === '--things') {
      const value = Number(rest[++at]);
      if (!Number.isSafeInteger(value) || value < 1) return undefined;
      options[word.slice(2) as 'rounds' | 'seed' | 'patience' | 'things'] = value;
    } else return undefined;
  }
  return options;
}
