// The most frequent values of a property of page views or sessions. A value narrows the page; its number leads to the report of it.
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {pageAddress} from '../../address/base';
import type {Condition} from '../../address/conditions';
import {count} from '../../charts/format';
import {rowText} from '../../charts/series-lines';
import type {Asking} from '../../service/reports';
import {Card} from '../../shell/card';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import type {AskedWeb} from './web-drawn';
import {answerAddress, countsOf, listQuestion, rowConditionsOf, valueText, type WebList} from './web-question';

const shownMax = 10;
const words = {views: 'Page views', visitors: 'Visitors', sessions: 'Sessions'} as const;

type ListRow = NonNullable<(ActiveAnswer | CountsAnswer)['breakdown']>['rows'][number];

/** The lists' question, with whether sessions are counted. */
export interface AskedLists extends AskedWeb {
  readonly hasSessions: boolean;
}

export function ListCard({
  list,
  span,
  asking,
  onNarrow,
}: {
  readonly list: WebList;
  readonly span: 4 | 6;
  readonly asking: Asking<AskedLists>;
  readonly onNarrow: (to: readonly Condition[]) => void;
}) {
  const {shown} = asking;
  const report = shown?.of<ActiveAnswer | CountsAnswer>(listQuestion(shown.question, list, shown.question.hasSessions));
  const rows: readonly ListRow[] = report?.value?.breakdown?.rows ?? [];
  const hasSessions = shown?.question.hasSessions ?? true;
  const counts = countsOf(list, hasSessions);
  const nameOf = (row: ListRow): string => {
    if (row.value !== undefined) return valueText(list, row.value);
    if (row.kind !== 'missing') return rowText(row);
    return list.counts === counts ? list.absent : `${list.absent}; or a later page`;
  };
  const addressOf = (more?: readonly Condition[], by?: string): string => {
    const {question, event} = shown!.question;
    return pageAddress(answerAddress(question, event, counts, {...(more && {more}), ...(by && {by})}));
  };
  const top = Math.max(1, ...rows.map(({total}) => total));
  return (
    <Card
      span={span}
      title={list.title}
      address={shown && addressOf(undefined, list.by)}
      tools={
        report?.value !== undefined && (
          <ReportTools
            paths={[report.path]}
            csv={{
              file: list.title.toLowerCase().replaceAll(' ', '-'),
              rows: () => [[list.by, counts], ...rows.map((row) => [nameOf(row), row.total])],
            }}
          />
        )
      }
    >
      <ReportBody asking={asking} reports={report === undefined ? [] : [report]}>
        {() =>
          rows.length === 0 ? (
            <p class="page-note">None in these days.</p>
          ) : (
            <>
              <table class="grid-table web-list">
                <thead>
                  <tr>
                    <th>{list.one}</th>
                    <th class="number">{words[counts]}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.slice(0, shownMax).map((row) => {
                    const name = nameOf(row);
                    const to = rowConditionsOf(list, row, hasSessions);
                    const share = {'--share': `${Math.max(0.6, (100 * row.total) / top).toFixed(1)}%`};
                    return (
                      <tr key={row.value ?? `(${row.kind})`}>
                        <td class="name">
                          {to === undefined ? (
                            <span class="bar-cell" style={share}>
                              <span>{name}</span>
                            </span>
                          ) : (
                            <button
                              type="button"
                              class="bar-cell"
                              style={share}
                              title={`Narrow the page to ${name}`}
                              onClick={() => onNarrow(to)}
                            >
                              <span>{name}</span>
                            </button>
                          )}
                        </td>
                        <td class="number">
                          {to === undefined ? (
                            count(row.total)
                          ) : (
                            <a href={addressOf(to)} title={`The report of ${name}`}>
                              {count(row.total)}
                            </a>
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
              {rows.length > shownMax && (
                <p class="web-more">
                  <a class="link" href={addressOf(undefined, list.by)}>
                    More of {list.title.toLowerCase()}
                  </a>
                </p>
              )}
            </>
          )
        }
      </ReportBody>
    </Card>
  );
}
