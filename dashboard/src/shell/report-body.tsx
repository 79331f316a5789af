// Body of a card of reports: its numbers, dimmed while another question is being answered, or the reason for having none.
import type {ComponentChildren} from 'preact';
import type {Asking, Report} from '../service/reports';
import {NotRenewed} from './not-renewed';
import {FaultBox, Loading} from './states';
import '../design/reports.css';

export function ReportBody({
  asking,
  reports,
  lines = 6,
  children,
}: {
  readonly asking: Asking<unknown>;
  /** Reports without which the card shows nothing. */
  readonly reports: readonly Report<unknown>[];
  readonly lines?: number;
  readonly children: () => ComponentChildren;
}) {
  if (asking.shown === undefined) return <Loading lines={lines} />;
  const lost = reports.find(({value}) => value === undefined);
  if (lost !== undefined)
    return lost.fault === undefined ? (
      <Loading lines={lines} />
    ) : (
      <FaultBox fault={lost.fault} onAgain={asking.again} />
    );
  const fault = reports.find((report) => report.fault !== undefined)?.fault;
  return (
    <div class={asking.isOther ? 'dimmed' : ''} aria-busy={asking.isOther}>
      {fault !== undefined && <NotRenewed fault={fault} />}
      {children()}
    </div>
  );
}
