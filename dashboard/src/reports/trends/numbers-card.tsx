// The card with the lines in numbers.
import type {FixedQuestion} from '../../../../src/asks/question/flat.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {pastSoFar} from '../../address/compared';
import {againstText} from '../../charts/against';
import {numbersIn, type SeriesLine} from '../../charts/series-lines';
import {positionOf, type Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import type {TrendsAsked, trendsUntil} from './asked';
import {measureOf} from './series';
import {type SeriesRow, SeriesTable, type SeriesTableProps} from './series-table';
import type {DrawnTrends} from './trends-drawn';

interface NumbersCardProps extends Pick<SeriesTableProps, 'behind'> {
  readonly shown: Shown<TrendsAsked>;
  /** The compared range up to the same moment, while the range is not over. */
  readonly until: Shown<ReturnType<typeof trendsUntil>> | undefined;
  readonly drawn: Pick<DrawnTrends, 'asked' | 'lines' | 'divided' | 'say'>;
  /** Wall clock of the zone up to which the numbers are exact. */
  readonly asOfMs: number | undefined;
  readonly today: number;
}

export function NumbersCard({shown, until, drawn, asOfMs, today, behind}: NumbersCardProps) {
  const {asked, lines, divided, say} = drawn;
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
          ...rowsOf(shown, lines, until),
          ...divided.map((line): SeriesRow => ({line, users: undefined, before: undefined, say: say!})),
        ]}
        interval={interval}
        isCompared={past !== undefined}
        behind={behind}
      />
    </Card>
  );
}

function rowsOf(
  {question, of}: Shown<TrendsAsked>,
  lines: readonly SeriesLine[],
  until: NumbersCardProps['until'],
): SeriesRow[] {
  return lines.map((line) => {
    const one = question.series[line.series]!;
    const numbersOf = (asked: FixedQuestion | undefined, from: Pick<Shown<unknown>, 'of'>) =>
      asked && numbersIn(from.of<CountsAnswer>(asked).value, line.row);
    const before = until && numbersOf(until.question?.askUntil(one), until);
    const asksUsers = question.askUsers(one);
    // Two numbers of a row count the same events: the users of another moment are left out.
    const isOfLine = positionOf(of(asksUsers)) === positionOf(line);
    const total = measureOf(one) === 'total' ? before?.total : before?.total_value;
    return {
      line,
      users: isOfLine ? (numbersOf(asksUsers, {of})?.total_value ?? undefined) : undefined,
      before: (line.meta?.incomplete_from ? total : line.pastTotal) ?? undefined,
    };
  });
}
