// Two runs of a bench beside each other: worse first, what did not change folded away and counted.
import type {ListedRun} from '../../../../src/bench-run';
import {Dumbbell} from '../../charts/dumbbell';
import {percent} from '../../charts/format';
import {CopyButton} from '../../controls/copy-button';
import {TableFrame} from '../../controls/table-frame';
import {Card} from '../../shell/card';
import {download} from '../../shell/download';
import {Icon} from '../../shell/icon';
import type {BenchmarksQuestion} from './benchmarks-form';
import {comparableBefore, differences, newestPair} from './comparability';
import {
  bandChangesMin,
  bandMin,
  type ComparedFigure,
  type Comparison,
  compareRuns,
  roundsMin,
  summaryOf,
} from './comparison';
import {comparisonHtml, comparisonMarkdown} from './comparison-text';
import {changeText, numberText, runName, spreadText} from './figure-text';
import {RunLink} from './run-link';

export function CompareView({
  runs,
  question,
  ask,
}: {
  readonly runs: readonly ListedRun[];
  readonly question: BenchmarksQuestion;
  readonly ask: (changed: Partial<BenchmarksQuestion>) => void;
}) {
  const byId = (id: string | null): ListedRun | undefined => runs.find((run) => run.id === id);
  const asked = {a: byId(question.a), b: byId(question.b)};
  const bench = asked.b?.bench ?? asked.a?.bench ?? question.bench ?? (newestPair(runs) ?? {b: runs.at(-1)!}).b.bench;
  const own = runs.filter((run) => run.bench === bench);
  const b = asked.b ?? newestPair(own)?.b ?? own.at(-1);
  const a = asked.a ?? (b && (comparableBefore(runs, b) ?? own.findLast((run) => run.time < b.time)));
  const lost = [question.a, question.b].find((id) => id !== null && byId(id) === undefined);
  return (
    <>
      <Pickers runs={runs} bench={bench} a={a} b={b} ask={ask} />
      {lost !== undefined && (
        <div class="state-box">
          <strong>There is no run "{lost}"</strong>
          <p>Another one stands in its place: choose above.</p>
        </div>
      )}
      {a === undefined || b === undefined || a.bench !== b.bench ? (
        <NoPair bench={bench} count={own.length} />
      ) : (
        <Compared comparison={compareRuns(a, b, runs)} />
      )}
    </>
  );
}

function NoPair({bench, count}: {readonly bench: string; readonly count: number}) {
  return (
    <div class="state-box">
      <strong>
        {count < 2 ? `${bench} has ${count === 1 ? 'one run' : 'no run'}` : 'These runs are of two benches'}
      </strong>
      <p>
        {count < 2 ? (
          <>
            A comparison needs two: <code>npm run bench -- {bench} --keep</code> makes another one.
          </>
        ) : (
          'Only runs of one bench can be compared: choose above.'
        )}
      </p>
    </div>
  );
}

function Pickers({
  runs,
  bench,
  a,
  b,
  ask,
}: {
  readonly runs: readonly ListedRun[];
  readonly bench: string;
  readonly a: ListedRun | undefined;
  readonly b: ListedRun | undefined;
  readonly ask: (changed: Partial<BenchmarksQuestion>) => void;
}) {
  const own = runs.filter((run) => run.bench === bench).reverse();
  const picker = (name: 'a' | 'b', chosen: ListedRun | undefined) => (
    <label>
      <span>{name === 'a' ? 'A, before' : 'B, after'}</span>
      <select
        value={chosen?.id}
        onChange={({currentTarget}) => ask({bench, a: a?.id ?? null, b: b?.id ?? null, [name]: currentTarget.value})}
      >
        {own.map((run) => (
          <option key={run.id} value={run.id}>
            {runName(run)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="card compare-pickers" aria-label="What is compared">
      <label>
        <span>Bench</span>
        <select value={bench} onChange={({currentTarget}) => ask({bench: currentTarget.value, a: null, b: null})}>
          {[...new Set(runs.map((run) => run.bench))].sort().map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      {picker('a', a)}
      {picker('b', b)}
      <button
        type="button"
        class="button"
        disabled={a === undefined || b === undefined}
        onClick={() => ask({bench, a: b!.id, b: a!.id})}
      >
        <Icon name="Rotate" />
        Swap
      </button>
    </section>
  );
}

function Compared({comparison}: {readonly comparison: Comparison}) {
  const {a, b, rows, onlyA, onlyB, isOtherHost} = comparison;
  const options = differences(a.options, b.options);
  const open = rows.filter(({verdict}) => verdict !== 'no difference seen');
  const same = rows.filter(({verdict}) => verdict === 'no difference seen');
  const widest = Math.min(1, Math.max(0.05, ...rows.map(({change, band}) => Math.max(Math.abs(change), band) * 1.05)));
  const file = `${a.bench}-${a.time.slice(0, 10)}-${b.time.slice(0, 10)}`;
  return (
    <>
      {isOtherHost && (
        <div class="compare-band bad" role="alert">
          <Icon name="warning" />
          <div>
            <strong>Different hosts: {differences(a.host, b.host).join(', ')}</strong>
            <p>Figures of two machines say nothing about the code. Only ratios within one run are judged.</p>
          </div>
        </div>
      )}
      {options.length > 0 && (
        <div class="compare-band warn" role="status">
          <Icon name="warning" />
          <strong>Different options: {options.join(', ')}</strong>
        </div>
      )}
      <div class="row">
        <Card
          span={12}
          title={summaryOf(rows)}
          tools={
            <>
              <CopyButton text={comparisonMarkdown(comparison)} label="Markdown" what="Copy the table as Markdown" />
              <button
                type="button"
                class="button"
                onClick={() => download(`${file}.html`, 'text/html;charset=utf-8', comparisonHtml(comparison))}
              >
                <Icon name="Download" />
                HTML
              </button>
            </>
          }
        >
          <p class="compared-runs">
            <span>
              <b>A</b> <RunLink run={a} />
            </span>
            <span>
              <b>B</b> <RunLink run={b} />
            </span>
          </p>
          {open.length > 0 && <Rows rows={open} widest={widest} label="Figures that differ, or cannot be judged" />}
          {same.length > 0 && (
            <details class="more unchanged" open={open.length === 0}>
              <summary>
                {same.length} {same.length === 1 ? 'figure' : 'figures'} without a difference
              </summary>
              <Rows rows={same} widest={widest} label="Figures without a difference" />
            </details>
          )}
          {rows.length === 0 && <p class="run-note">The two runs have no figure in common.</p>}
          {[
            ['A', onlyA],
            ['B', onlyB],
          ].map(
            ([name, names]) =>
              names!.length > 0 && (
                <p key={String(name)} class="run-note">
                  Only in {name}: {(names as readonly string[]).join('; ')}
                </p>
              ),
          )}
          <HowItJudges />
        </Card>
      </div>
    </>
  );
}

const looks = {worse: 'down', better: 'up'} as const;
const lookOf = ({verdict}: ComparedFigure): 'up' | 'down' | 'even' =>
  verdict === 'worse' || verdict === 'better' ? looks[verdict] : 'even';
const pills = {worse: 'pill bad', better: 'pill'} as const;
const pillOf = ({verdict}: ComparedFigure): string =>
  verdict === 'worse' || verdict === 'better' ? pills[verdict] : 'verdict';

function Rows({
  rows,
  widest,
  label,
}: {
  readonly rows: readonly ComparedFigure[];
  readonly widest: number;
  readonly label: string;
}) {
  return (
    <TableFrame label={label}>
      <table class="grid-table compare-table">
        <thead>
          <tr>
            <th>Figure</th>
            <th class="number">A</th>
            <th class="number">B</th>
            <th class="axis">
              <span class="ends">
                <span>−{percent(widest, 0)}</span>
                <span>0</span>
                <span>+{percent(widest, 0)}</span>
              </span>
            </th>
            <th class="number">Change</th>
            <th class="number">Band</th>
            <th class="verdict-cell">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.figure.id}>
              <td class="figure-name">
                {row.figure.name}
                <span class="better">
                  {row.figure.unit !== 'ratio' && `${row.figure.unit}, `}
                  {row.figure.better} is better
                </span>
                <VerdictMark row={row} isBeside />
              </td>
              <Side spread={row.a} />
              <Side spread={row.b} />
              <td class="axis">
                <Dumbbell change={row.change} band={row.band} widest={widest} look={lookOf(row)} />
              </td>
              <td class="number strong">{changeText(row.change)}</td>
              <td class="number">±{percent(row.band)}</td>
              <td class="verdict-cell">
                <VerdictMark row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** Verdict of a row. On a phone it is beside the name, since the last column would be out of sight. */
function VerdictMark({row, isBeside = false}: {readonly row: ComparedFigure; readonly isBeside?: boolean}) {
  return (
    <span
      class={`${pillOf(row)}${isBeside ? ' beside' : ''}`}
      title={row.p === undefined ? undefined : `p = ${row.p.toPrecision(2)}`}
    >
      {isBeside && `${changeText(row.change)} `}
      {row.verdict}
    </span>
  );
}

function Side({spread}: {readonly spread: ComparedFigure['a']}) {
  return (
    <td class="number median">
      {numberText(spread.median)}
      {spread.low !== spread.high && <small>{spreadText(spread)}</small>}
    </td>
  );
}

function HowItJudges() {
  return (
    <p class="run-note">
      Medians of the rounds, below them the smallest and the largest. Better or worse: the exact two-sided Mann-Whitney
      test over the rounds says so at 5 %, and the change is above the band. The band is what neighbouring runs of this
      host differ by, three times in four; {percent(bandMin, 0)} where there are fewer than {bandChangesMin} such pairs.
      Below {roundsMin} rounds there is no verdict.
    </p>
  );
}
