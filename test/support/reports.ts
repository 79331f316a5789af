// Reads reports that are known to include what was written: a write answers `Log-Position`, a report `Report-Log-Position`,
// and a report covers a write once it stands at or past it.

import {expect} from 'vitest';
import {covers, isBefore, type Place, readPositions} from '../../src/log-position.js';
import type {Answer, Client} from './http.js';
import {patienceMsMax, until as untilSo} from './until.js';

/** The newest position of every partition that a test wrote to. */
export class Positions {
  private readonly places = new Map<number, Place>();

  /** Notes the `Log-Position` of an answered write, and hands the answer on. */
  note(answer: Answer): Answer {
    this.add(String(answer.headers['log-position']));
    return answer;
  }

  add(position: string): void {
    for (const [partition, place] of checkedPositions(position)) {
      const known = this.places.get(partition);
      if (known === undefined || isBefore(known, place)) this.places.set(partition, place);
    }
  }

  /** `position`: that of a report. */
  areCoveredBy(position: string): boolean {
    return covers(checkedPositions(position), this.places);
  }
}

export const reportPositions = (report: Answer): Map<number, Place> =>
  checkedPositions(String(report.headers['report-log-position']));

function checkedPositions(text: string): Map<number, Place> {
  expect(text, 'a position').toMatch(/^\d+:\d+\.\d+(,\d+:\d+\.\d+)*$/);
  return readPositions(text);
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
      return positions.areCoveredBy(String(report.headers['report-log-position']));
    },
    `the report covers what was written: ${path}`,
    msMax,
  );
}

/** Asks until the answer is as wanted. */
export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (value: T) => boolean,
  wish: string,
  msMax = patienceMsMax,
): Promise<T> {
  const met = async () => {
    const value = await ask();
    return isWanted(value) && {value};
  };
  return (await untilSo(wish, met, msMax)).value;
}
