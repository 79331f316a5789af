// The saved reports of the service, as this browser last read them, and the one that was opened last.
//   SD1. A report is replaced only as the version that was opened here, or else as the one in the list: what somebody else made of
//        it meanwhile comes back as a conflict.

import {signal} from '@preact/signals';
import {addressOf, type KeptReport} from '../../../src/asks/address.js';
import type {SavedReportAnswer} from '../../../src/edge/answers/saved-reports.js';
import {pageAddress} from '../address/base';
import {homeZone} from '../address/zone.js';
import {type Answer, change, type Fault, type Listed, read} from './client';

export type SavedReport = SavedReportAnswer;

/** Address of its page. */
export function reportAddress(report: KeptReport): string {
  const {page, search} = addressOf(report, homeZone());
  return pageAddress(page) + search;
}

/** Undefined before the first answer. */
export const savedReports = signal<readonly SavedReport[] | undefined>(undefined);
export const savedFault = signal<Fault | undefined>(undefined);
/** The report as it was when it was opened. SD1 */
export const openedReport = signal<SavedReport | undefined>(undefined);

export async function readSavedReports(): Promise<void> {
  const answer = await read<Listed<SavedReport>>('v1/saved-reports');
  savedFault.value = answer.kind === 'fault' ? answer.fault : undefined;
  if (answer.kind === 'value') savedReports.value = answer.value.data;
}

const byPlace = (a: SavedReport, b: SavedReport): number => a.place - b.place;

function take(report: SavedReport): void {
  const others = (savedReports.value ?? []).filter(({id}) => id !== report.id);
  savedReports.value = [...others, report].sort(byPlace);
}

export async function saveReport(name: string, {questions, view}: KeptReport): Promise<Answer<SavedReport>> {
  const answer = await change<SavedReport>('POST', 'v1/saved-reports', {name, questions, view});
  if (answer.kind === 'value') take(answer.value);
  return answer;
}

/** `version`: the one that was seen; absent: any, for a new place. */
export async function changeReport(id: string, changed: object, version?: string): Promise<Answer<SavedReport>> {
  const answer = await change<SavedReport>('PATCH', `v1/saved-reports/${id}`, changed, version && `"${version}"`);
  if (answer.kind === 'value') {
    take(answer.value);
    if (openedReport.value?.id === id) openedReport.value = answer.value;
  } else if (theirsOf(answer.fault) !== undefined) take(theirsOf(answer.fault)!);
  return answer;
}

/** Version that another person saved first, if that is why the change was refused. */
export const theirsOf = (fault: Fault): SavedReport | undefined =>
  fault.code === 'changed_meanwhile' ? (fault.more?.current as SavedReport) : undefined;

export async function deleteReport(id: string): Promise<Answer<unknown>> {
  const answer = await change('DELETE', `v1/saved-reports/${id}`);
  // Another person deleted it first: the result is the same.
  if (answer.kind === 'value' || answer.fault.code === 'not_found')
    savedReports.value = savedReports.value?.filter((report) => report.id !== id);
  return answer;
}
