// The card with the lines in numbers.
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {pastSoFar} from '../../address/compared';
import {againstText} from '../../charts/against';
import {isComputed} from '../../charts/computed';
import {isUnset, numbersIn, rowTexts, type SeriesLine} from '../../charts/series-lines';
import {positionOf, type Shown} from '../../service/reports';
import {Card} from '../../shell/card';
import type {TrendsAsked} from './asked';
import {formulaLabels, labelsOf} from './series';
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
  const breakdown = asked.question.breakdown ?? [];
  const names = breakdown.map(({trait, property}) => (trait ?? property)!);
  const unknown = breakdown.findIndex((_, at) => lines.length > 0 && lines.every(({row}) => isUnset(row, at)));
  const areNamed = asked.series.length > 1 || computed.length > 0;
  const labels = [labelsOf(asked.series), formulaLabels(asked.question)];
  const hasColumns = names.length > 1;
  const namesOf = (line: SeriesLine): readonly string[] =>
    hasColumns && line.row !== undefined
      ? [...(areNamed ? [labels[isComputed(line) ? 1 : 0]![line.series] ?? line.label] : []), ...rowTexts(line.row)]
      : [line.label];
  const headings = hasColumns
    ? [
        ...(areNamed ? ['Event'] : []),
        ...breakdown.map(({trait}, at) => names[at]! + (trait === undefined ? '' : ' (trait)')),
      ]
    : [[...(asked.series.length > 1 || names.length === 0 ? ['Event'] : []), ...names].join(', ')];
  return (
    <Card
      span={12}
      title="In numbers"
      note={past && `changes against ${againstText(past, soFar?.untilMs, zone, today)}`}
    >
      {unknown >= 0 && (
        <p class="help" role="status">
          {breakdown[unknown]!.trait === undefined
            ? `No event of these days has a property ${names[unknown]}, so all of them are “not set”.`
            : `No user of these events has a trait ${names[unknown]}, so all of them are “not set”.`}
        </p>
      )}
      <SeriesTable
        headings={headings}
        rows={[
          ...rowsOf(shown, lines, beforeOf, namesOf),
          ...computed.map(
            (line): SeriesRow => ({line, names: namesOf(line), users: undefined, before: undefined, say: say!}),
          ),
        ]}
        interval={interval}
        isCompared={past !== undefined}
        behind={behind}
        switches={switches}
      />
    </Card>
  );
}

function rowsOf(
  {question, of}: Shown<TrendsAsked>,
  lines: readonly SeriesLine[],
  beforeOf: BeforeOf,
  namesOf: (line: SeriesLine) => readonly string[],
): SeriesRow[] {
  return lines.map((line) => {
    const asksUsers = question.askUsers(question.series[line.series]!);
    // Two numbers of a row count the same events: the users of another moment are left out.
    const isOfLine = positionOf(of(asksUsers)) === positionOf(line);
    const users = isOfLine ? numbersIn(of<CountsAnswer>(asksUsers).value, line.row)?.total_value : undefined;
    return {line, names: namesOf(line), users: users ?? undefined, before: beforeOf(line)};
  });
}
