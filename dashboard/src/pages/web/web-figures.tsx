// Visitors, page views and sessions of the range, each against the range before up to the same moment. Each leads to its report.
import {pageAddress} from '../../address/base';
import {count} from '../../charts/format';
import type {Asking, Shown} from '../../service/reports';
import {ChangeText} from '../../shell/change-text';
import {ReportBody} from '../../shell/report-body';
import {type AskedWeb, answerIn, figureLabels} from './web-drawn';
import {answerAddress, figures} from './web-question';

export function WebFigures({
  main,
  until,
  isOpen,
}: {
  readonly main: Asking<AskedWeb>;
  /** The compared range up to the same moment. */
  readonly until: Shown<unknown> | undefined;
  /** A bucket of the range is not over. */
  readonly isOpen: boolean;
}) {
  const {shown} = main;
  return (
    <div class="row web-figures">
      {figures.map((counts, at) => {
        const label = figureLabels[counts];
        const asked = shown?.question;
        const past = asked?.pastAsks[at];
        const before =
          past === undefined
            ? undefined
            : isOpen
              ? answerIn(until?.reports, at)?.total
              : shown!.of<{readonly total: number}>(past).value?.total;
        return (
          <section key={counts} class="card tile span-4" aria-label={label}>
            <span class="label">{label}</span>
            <ReportBody asking={main} reports={shown?.reports.slice(at, at + 1) ?? []} lines={1}>
              {() => {
                const {total} = answerIn(shown!.reports, at)!;
                return (
                  <div class="web-figure">
                    <a
                      class="figure"
                      href={pageAddress(answerAddress(asked!.question, asked!.event, counts))}
                      title={`The report of ${label.toLowerCase()}`}
                    >
                      {count(total)}
                    </a>
                    <span class="change">
                      {before !== undefined && <ChangeText now={total} before={before} isMoreBetter />}
                      {before !== undefined && before > 0 && ` against ${count(before)}`}
                    </span>
                  </div>
                );
              }}
            </ReportBody>
          </section>
        );
      })}
    </div>
  );
}
