// Versions of nats-server, and what they are needed for.

/** JetStream works as Millrace needs it from here on. */
const serverVersionMin = '2.9.10';
/** The first that nothing here was tried with: a new major version may store or answer otherwise. */
const serverVersionUntried = '3.0.0';
/** Knows `sync_interval: always`, and so can promise that an ack survives a power cut. */
export const serverVersionSyncAlways = '2.10.0';
/** Replicated streams keep their promises across restarts from here on. */
export const serverVersionReplicas = '2.12.3';

/** Erasing a message is crash-atomic in the server from here on, in either line of releases. */
const serverVersionErase = ['2.14.5', '2.12.15'] as const;

/** Why this Millrace does not use a server of this version; undefined: it does. */
export const versionRefusal = (version: string): string | undefined =>
  isAtLeast(version, serverVersionMin) && !isAtLeast(version, serverVersionUntried)
    ? undefined
    : `is version ${version}; ${serverVersionMin} or newer is needed, and older than ${serverVersionUntried}, which this Millrace was not tried with`;

export const erasesAtomically = (version: string): boolean =>
  isAtLeast(version, serverVersionErase[0]) || (/^2\.12\./.test(version) && isAtLeast(version, serverVersionErase[1]));

export function isAtLeast(version: string, floor: string): boolean {
  // A pre-release (`2.12.0-RC.1`) counts as its release: nobody runs one without knowing.
  const [have, need] = [version, floor].map((text) => text.split(/[.-]/, 3).map(Number)) as [number[], number[]];
  for (let i = 0; i < 3; i++) if (have[i] !== need[i]) return have[i]! > need[i]!;
  return true;
}
