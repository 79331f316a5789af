// The card with the lines in numbers.
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {pastSoFar} from '../../address/compared';
import {againstText} from '../../charts/against';
import {numbersIn, type SeriesLine} from '../../charts/series-lines';
import {positionOf, type Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import type {TrendsAsked} from './asked';
import {type SeriesRow, SeriesTable, type SeriesTableProps} from './series-table';
import type {BeforeOf, DrawnTrends} from './trends-drawn';

interface NumbersCardProps extends Pick<SeriesTableProps, 'behind' | 'switches'> {
  readonly shown: Shown<TrendsAsked>;
  readonly beforeOf: BeforeOf;
  readonly drawn: Pick<DrawnTrends, 'asked' | 'lines' | 'computed' | 'say'>;
  /** Wall clock of the zone up to which the numbers are exact. */
  readonly asOfMs: number | undefined;
  readonly today: number;
}

export function NumbersCard({shown, beforeOf, drawn, asOfMs, today, behind, switches}: NumbersCardProps) {
  const {asked, lines, computed, say} = drawn;
  const {days, interval, past, zone} = asked;
  const soFar = pastSoFar(past, days, today, asOfMs);
  const [by] = asked.question.breakdown ?? [];
  const name = by?.trait ?? by?.property;
  const isUnknown = name !== undefined && lines.length > 0 && lines.every(({row}) => row?.kind === 'missing');
  return (
    <Card
      span={12}
      title="In numbers"
      note={past && `changes against ${againstText(past, soFar?.untilMs, zone, today)}`}
    >
      {isUnknown && (
        <p class="help" role="status">
          {by?.trait === undefined
            ? `No event of these days has a property ${name}, so all of them are “not set”.`
            : `No user of these events has a trait ${name}, so all of them are “not set”.`}
        </p>
      )}
      <SeriesTable
        heading={name === undefined ? 'Event' : asked.series.length === 1 ? name : `Event, ${name}`}
        rows={[
          ...rowsOf(shown, lines, beforeOf),
          ...computed.map((line): SeriesRow => ({line, users: undefined, before: undefined, say: say!})),
        ]}
        interval={interval}
        isCompared={past !== undefined}
        behind={behind}
        switches={switches}
      />
    </Card>
  );
}

function rowsOf({question, of}: Shown<TrendsAsked>, lines: readonly SeriesLine[], beforeOf: BeforeOf): SeriesRow[] {
  return lines.map((line) => {
    const asksUsers = question.askUsers(question.series[line.series]!);
    // Two numbers of a row count the same events: the users of another moment are left out.
    const isOfLine = positionOf(of(asksUsers)) === positionOf(line);
    const users = isOfLine ? numbersIn(of<CountsAnswer>(asksUsers).value, line.row)?.total_value : undefined;
    return {line, users: users ?? undefined, before: beforeOf(line)};
  });
}
