// Reads reports that are known to include what was written: a write answers `Log-Position: <p>:<sequence>,…`, a report
// `Report-Log-Position: <p>:<generation>.<sequence>,…`, and a report covers a write once it stands at or past it.

import {setTimeout as pause} from 'node:timers/promises';
import {expect} from 'vitest';
import type {Answer, Client} from './http.js';
import {patienceMsMax} from './until.js';

/** The newest position of every partition that a test wrote to. */
export class Positions {
  private readonly sequences = new Map<number, number>();

  /** Notes the `Log-Position` of an answered write, and hands the answer on. */
  note(answer: Answer): Answer {
    this.add(String(answer.headers['log-position']));
    return answer;
  }

  add(position: string): void {
    expect(position, 'Log-Position').toMatch(/^\d+:\d+(,\d+:\d+)*$/);
    for (const one of position.split(',')) {
      const [partition, sequence] = one.split(':').map(Number);
      this.sequences.set(partition!, Math.max(sequence!, this.sequences.get(partition!) ?? 0));
    }
  }

  areCoveredBy(report: Answer): boolean {
    const covered = reportPositions(report);
    return [...this.sequences].every(([partition, sequence]) => (covered.get(partition)?.sequence ?? -1) >= sequence);
  }
}

export function reportPositions(report: Answer): Map<number, {generation: number; sequence: number}> {
  const header = String(report.headers['report-log-position']);
  expect(header, 'Report-Log-Position').toMatch(/^\d+:\d+\.\d+(,\d+:\d+\.\d+)*$/);
  return new Map(
    header.split(',').map((one) => {
      const [partition, generation, sequence] = one.split(/[:.]/).map(Number);
      return [partition!, {generation: generation!, sequence: sequence!}];
    }),
  );
}

/** Asks until the answer covers all the positions; fails after `msMax`. */
export async function reportCovering(
  client: Client,
  path: string,
  positions: Positions,
  msMax = patienceMsMax,
): Promise<Answer> {
  return until(
    () => client.get(path),
    (report) => {
      expect(report.status, report.text).toBe(200);
      return positions.areCoveredBy(report);
    },
    `the report covers what was written: ${path}`,
    msMax,
  );
}

/** Asks again, with short pauses, until the answer is as wanted. */
export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (value: T) => boolean,
  wish: string,
  msMax = patienceMsMax,
): Promise<T> {
  const deadlineMs = Date.now() + msMax;
  for (;;) {
    const value = await ask();
    if (isWanted(value)) return value;
    if (Date.now() > deadlineMs) throw new Error(`not within ${msMax} ms: ${wish}`);
    await pause(20);
  }
}
