// One run: what it ran on and with, every figure with its rounds, latencies by percentile, void rounds and why, its JSON.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import type {Figure, ListedRun} from '../../../../src/bench-run';
import {pageAddress} from '../../address/base';
import {DotStrip} from '../../charts/dot-strip';
import {percent} from '../../charts/format';
import {type Curve, PercentileCurve, percentileName} from '../../charts/percentile-curve';
import {spreadOf} from '../../charts/spread';
import {CopyButton} from '../../controls/copy-button';
import {Moment} from '../../controls/moment';
import {Snippet} from '../../controls/snippet';
import {TableFrame} from '../../controls/table-frame';
import {useAsked} from '../../service/asked';
import {Card} from '../../shell/card';
import {download} from '../../shell/download';
import {Icon} from '../../shell/icon';
import {FaultBox, Loading} from '../../shell/states';
import {queryOf} from './benchmarks-form';
import {comparableBefore} from './comparability';
import {changedFiles, chosenText, figureText, numberText, offText, runMoment, spreadText} from './figure-text';
import {timesOff} from './run-history';
import {Commit} from './run-link';

const path = pageAddress('/benchmarks');
const tonesMax = 6;
/** A longer one would make the page slow: the file has all of it. */
const rawCharactersShown = 200_000;

export function RunView({runs, id}: {readonly runs: readonly ListedRun[]; readonly id: string | null}) {
  const run = id === null ? runs.at(-1)! : runs.find((one) => one.id === id);
  if (run === undefined) {
    return (
      <div class="state-box">
        <strong>There is no run "{id}"</strong>
        <p>It may be older than those that are listed, or its file was removed.</p>
        <a class="link" href={path}>
          Show the history
        </a>
      </div>
    );
  }
  const before = comparableBefore(runs, run);
  return (
    <>
      <div class="run-head">
        <h2>
          {run.bench}, {runMoment(run)} UTC
        </h2>
        <span class="faint">
          <Moment iso={run.time} />
        </span>
        <Commit run={run} />
        <span class="run-ways">
          <a class="link" href={path + queryOf({bench: run.bench})}>
            All runs of {run.bench}
          </a>
          {before !== undefined && (
            <a class="link" href={path + queryOf({show: 'compare', bench: run.bench, a: before.id, b: run.id})}>
              Compare with the run before
            </a>
          )}
        </span>
      </div>
      <div class="row">
        <Figures run={run} />
        <Latencies run={run} />
        <Rounds run={run} />
        <Facts run={run} />
        <Raw key={run.id} run={run} />
      </div>
    </>
  );
}

function Figures({run}: {readonly run: ListedRun}) {
  return (
    <Card span={12} title="Figures" note="a dot for each round; the upright is the median">
      <TableFrame label="Figures of the run">
        <table class="grid-table figures-table">
          <thead>
            <tr>
              <th>Figure</th>
              <th class="number">Median</th>
              <th>Against the target</th>
              <th class="rounds">Rounds</th>
              <th class="number">Smallest – largest</th>
            </tr>
          </thead>
          <tbody>
            {run.figures.map((figure) => (
              <FigureRow key={figure.id} figure={figure} />
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Card>
  );
}

function FigureRow({figure}: {readonly figure: Figure}) {
  const {name, unit, samples, reach, limit, better} = figure;
  const spread = spreadOf(samples);
  const times = timesOff(figure, spread.median);
  return (
    <tr>
      <td class="figure-name">
        {name}
        <span class="better">{better} is better</span>
      </td>
      <td class="number strong">{figureText(spread.median, unit)}</td>
      <td class="against">
        {times !== undefined && (
          <>
            <span class={times > 1 ? 'pill bad' : 'pill'}>{times > 1 ? offText(figure, times) : 'met'}</span>
            <small>
              target {chosenText(reach!)}
              {limit !== undefined && `, best possible ${chosenText(limit)}`}
            </small>
          </>
        )}
      </td>
      <td class="rounds" title={samples.map(numberText).join(', ')}>
        <DotStrip samples={samples} median={spread.median} reach={reach} limit={limit} />
        <span class="visually-hidden">{samples.map(numberText).join(', ')}</span>
      </td>
      <td class="number">{samples.length === 1 ? 'measured once' : spreadText(spread)}</td>
    </tr>
  );
}

function Latencies({run}: {readonly run: ListedRun}) {
  const curves: Curve[] = run.figures
    .flatMap(({curve}) => (curve === undefined ? [] : [curve]))
    .slice(0, tonesMax)
    .map((curve, at) => ({...curve, tone: at + 1}));
  if (curves.length === 0) return null;
  const shares = [...new Set(curves.flatMap(({points}) => points.map(([share]) => share)))].sort((a, b) => a - b);
  return (
    <Card span={12} title="Latency by percentile" note="medians of the rounds; both axes are logarithmic">
      <div class="latencies">
        <PercentileCurve label="Latency by percentile" curves={curves} />
        <TableFrame label="Latency by percentile, in ms">
          <table class="grid-table">
            <thead>
              <tr>
                <th>ms</th>
                {shares.map((share) => (
                  <th key={share} class="number">
                    {percentileName(share)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {curves.map(({name, tone, points}) => (
                <tr key={name}>
                  <td class={`tone-${tone}`}>
                    <i class="swatch" />
                    {name}
                  </td>
                  {shares.map((share) => {
                    const point = points.find(([at]) => at === share);
                    return (
                      <td key={share} class="number">
                        {point === undefined ? '' : numberText(point[1])}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      </div>
    </Card>
  );
}

function Rounds({run: {rounds}}: {readonly run: ListedRun}) {
  return (
    <Card span={6} title="Rounds" note="a void one was played again">
      {rounds.length === 0 ? (
        <p class="run-note">This bench measures once: it has no rounds.</p>
      ) : (
        <ul class="rounds-list">
          {rounds.map(({name, foreignShares, voided}) => {
            const {median, high} = spreadOf(foreignShares.length === 0 ? [0] : foreignShares);
            return (
              <li key={name}>
                <strong>{name}</strong>
                <span>
                  {foreignShares.length} counted, {voided.length} void; others used {percent(median)} of the CPU, at
                  most {percent(high)}
                </span>
                {voided.length > 0 && (
                  <ul>
                    {voided.map(({round, reason}, at) => (
                      <li key={at}>
                        Round {round} was void: {reason}
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

function Facts({run}: {readonly run: ListedRun}) {
  const {host, options, versions} = run;
  const {numbers, isProfiled, foreignShareMax, ...plain} = options;
  const {commit, changed: _, ...programs} = versions;
  const files = changedFiles(run);
  return (
    <Card span={6} title="What it ran on, and with">
      <dl class="run-facts">
        <Fact name="Processor">{`${host.cpu}, ${host.cores} cores`}</Fact>
        <Fact name="Memory">{`${Math.round(host.memoryMib / 1_024)} GiB`}</Fact>
        <Fact name="Kernel">{host.kernel}</Fact>
        <Fact name="Disk">{host.dataFilesystem}</Fact>
        <Fact name="Options">
          {[
            `${plain.rounds} rounds of ${plain.seconds} s`,
            `${plain.partitions} partitions`,
            `refresh ${plain.refreshSeconds} s`,
            `a round is void above ${percent(foreignShareMax, 0)} foreign CPU`,
            ...Object.entries(numbers).map(([name, value]) => `${name} ${chosenText(value)}`),
            ...(isProfiled ? ['with CPU profiles'] : []),
          ].join(', ')}
        </Fact>
        <Fact name="Commit">{commit ?? 'none'}</Fact>
        {files.length > 0 && (
          <Fact name="Changed files">
            <ul>
              {files.map((file) => (
                <li key={file}>
                  <code>{file}</code>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Fact name="Versions">
          {Object.entries(programs)
            .map(([name, version]) => `${name} ${version ?? 'not there'}`)
            .join(', ')}
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({name, children}: {readonly name: string; readonly children: ComponentChildren}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Raw({run}: {readonly run: ListedRun}) {
  const [isOpen, setOpen] = useState(false);
  const [asked, again] = useAsked<object>(`bench/run?id=${encodeURIComponent(run.id)}`);
  const {value, fault} = asked.value;
  const text = value === undefined ? '' : JSON.stringify(value, null, 1);
  const isCut = text.length > rawCharactersShown;
  return (
    <Card
      span={12}
      title="JSON"
      note={
        value === undefined ? '' : 'report' in value ? 'with the whole report' : 'of the history: without the report'
      }
    >
      {fault !== undefined && <FaultBox fault={fault} onAgain={again} />}
      {value === undefined && fault === undefined && <Loading />}
      {value !== undefined && (
        <>
          <div class="buttons">
            <CopyButton text={text} what="Copy the JSON of the run" />
            <button
              type="button"
              class="button"
              onClick={() => download(`${run.id}.json`, 'application/json', `${text}\n`)}
            >
              <Icon name="Download" />
              Download
            </button>
          </div>
          <details class="more raw-run" onToggle={({currentTarget}) => setOpen(currentTarget.open)}>
            <summary>Show it</summary>
            {isOpen && (
              <Snippet label="The run as JSON" text={isCut ? `${text.slice(0, rawCharactersShown)}\n…` : text} />
            )}
            {isCut && <p class="help">The beginning of it: the download has all.</p>}
          </details>
        </>
      )}
    </Card>
  );
}
