// How many random cases a property is tried with: a run plays a third of them, others each time where no seed is given;
// `ALL_CASES=1` plays all. Not for properties that count how often something was met.

export const runs = (all: number): number => (process.env.ALL_CASES === undefined ? Math.ceil(all / 3) : all);

/** Whether the tests of benches that share their machinery with another one are played, too. */
export const playsAll = process.env.ALL_CASES !== undefined;
export const unlessAll = 'ALL_CASES=1 plays it: it shares its machinery with a bench that is played';
