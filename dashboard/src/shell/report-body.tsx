// What a card of reports shows: its numbers, dimmed while those of another question are on their way; or why there are none.
import type {ComponentChildren} from 'preact';
import type {Asking, Report} from '../service/reports';
import {Icon} from './icon';
import {FaultBox, Loading} from './states';
import '../design/reports.css';

export function ReportBody({
  asking,
  reports,
  lines = 6,
  children,
}: {
  readonly asking: Asking<unknown>;
  /** Those that the card cannot do without. */
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
      {fault !== undefined && (
        <p class="not-renewed" role="status">
          <Icon name="warning" />
          Not renewed: {fault.message}. It is asked for again by itself.
        </p>
      )}
      {children()}
    </div>
  );
}
