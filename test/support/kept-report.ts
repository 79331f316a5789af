// Reports as saved reports and boards keep them, by the address of their page.
import {keptIn} from '../../dashboard/src/address/kept.js';
import type {KeptReport, ReportPage} from '../../src/asks/address.js';

/** `/trends?event=signup&range=7d` */
export function keptAt(address: string): KeptReport {
  const [page, search = ''] = address.split(/(?=\?)/) as [ReportPage, string?];
  const report = keptIn({page, search});
  if (report === undefined) throw new Error(`${address} names no event`);
  return report;
}
