// Variables of the environment that look like one of the service's and are not: REPORT_REFRESH=5 would silently set nothing.
//   They cause a warning, not an error, as other programs have variables, too. Their values are never shown.

export interface MisspeltVariable {
  readonly name: string;
  readonly nearest: string;
}

/** Edits of a typing error; in a short name one, as two make another word of it. */
const editsMax = 2;
const shortNameMax = 6;

/** Many programs prefix the names of their variables. */
const ownPrefix = /^MILLRACE_/;

/** Kubernetes and Docker set the first for a service called `nats`, for example; systemd the second. */
const setByOthers = /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP)(_|$)|$)|^MEMORY_PRESSURE_/;

/** `known`: every name that the program reads. */
export function misspeltVariables(names: readonly string[], known: readonly string[]): MisspeltVariable[] {
  const isKnown = new Set(known);
  return names.flatMap((name) => {
    const nearest = isKnown.has(name) ? undefined : nearestOf(name.toUpperCase(), known);
    return nearest === undefined ? [] : [{name, nearest}];
  });
}

function nearestOf(fullName: string, known: readonly string[]): string | undefined {
  if (ownPrefix.test(fullName) && setByOthers.test(fullName)) return undefined;
  const name = fullName.replace(ownPrefix, '');
  const [nearest] = known
    .map((other) => ({other, edits: editsBetween(name, other)}))
    .filter(({other, edits}) => edits <= editsAllowed(other) || beginsLike(name, other))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.other;
}

const editsAllowed = (name: string): number => (name.length <= shortNameMax ? 1 : editsMax);

/** Whether both have several words, and the first is the same. */
function beginsLike(name: string, other: string): boolean {
  const [first, second] = name.split('_');
  return second !== undefined && !setByOthers.test(name) && other.startsWith(`${first}_`);
}

/** Number of letters to insert, drop or replace. */
function editsBetween(a: string, b: string): number {
  let above = Array.from({length: b.length + 1}, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1));
    }
    above = row;
  }
  return above[b.length]!;
}
