// Versions of nats-server, and what needs them.

/** First version whose JetStream works as Millrace needs it. */
const serverVersionMin = '2.9.10';
/** First version that Millrace was not tested with: a new major version may store or answer differently. */
const serverVersionUntried = '3.0.0';
/** First version with `sync_interval: always`, so that an ack can survive a power cut. */
export const serverVersionSyncAlways = '2.10.0';
/** First version whose replicated streams keep their promises across restarts. */
export const serverVersionReplicas = '2.12.3';

/** First versions that erase a message atomically, in either line of releases. */
const serverVersionErase = ['2.14.5', '2.12.15'] as const;

/** Why Millrace refuses a server of this version; undefined: it does not. */
export const versionRefusal = (version: string): string | undefined =>
  isAtLeast(version, serverVersionMin) && !isAtLeast(version, serverVersionUntried)
    ? undefined
    : `is version ${version}; ${serverVersionMin} or newer is needed, and older than ${serverVersionUntried}, with which this Millrace was not tested`;

export const erasesAtomically = (version: string): boolean =>
  isAtLeast(version, serverVersionErase[0]) || (/^2\.12\./.test(version) && isAtLeast(version, serverVersionErase[1]));

export function isAtLeast(version: string, floor: string): boolean {
  // A pre-release (`2.12.0-RC.1`) counts as its release.
  const [have, need] = [version, floor].map((text) => text.split(/[.-]/, 3).map(Number)) as [number[], number[]];
  for (let i = 0; i < 3; i++) if (have[i] !== need[i]) return have[i]! > need[i]!;
  return true;
}
