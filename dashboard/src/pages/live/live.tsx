// Live load, for operators. Worst first; it needs nothing beside the service.
import {useState} from 'preact/hooks';
import {clockText, duration} from '../../charts/format';
import {copyText} from '../../controls/copy-button';
import {heardMs, isStale, type Load, load, loadFault, lookEverySeconds, useLoad} from '../../service/load';
import {now} from '../../service/now';
import {streamState} from '../../service/stream';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {useKeys} from '../../shell/keys';
import {NoParameters} from '../../shell/no-parameters';
import {FaultBox, Loading} from '../../shell/states';
import {LiveCharts} from './live-charts';
import './live.css';
import {LiveTiles} from './live-tiles';
import {Members} from './members';
import {Memory} from './memory';
import {Partitions} from './partitions';
import {type Minutes, pointsOf, ranges} from './points';
import {StateStrip} from './state-strip';
import {stateText} from './state-text';

interface Paused {
  readonly load: Load;
  readonly sinceMs: number;
}

export function Live() {
  useLoad();
  const [minutes, setMinutes] = useState<Minutes>(5);
  const [paused, setPaused] = useState<Paused>();
  const shown = paused?.load ?? load.value;
  const turn = (): void =>
    setPaused(paused === undefined && load.value !== undefined ? {load: load.value, sinceMs: Date.now()} : undefined);
  useKeys({p: turn});
  return (
    <>
      <Head title="Live load" freshness={<Heard paused={paused} />}>
        <CopyState shown={shown} />
        <button type="button" class="button" aria-pressed={paused !== undefined} onClick={turn}>
          <Icon name={paused === undefined ? 'Pause' : 'Play'} />
          {paused === undefined ? 'Pause' : 'Resume'}
        </button>
        <fieldset class="choice">
          <legend class="visually-hidden">Range</legend>
          {ranges.map((range) => (
            <button
              key={range.minutes}
              type="button"
              aria-pressed={range.minutes === minutes}
              onClick={() => setMinutes(range.minutes)}
            >
              {range.minutes} min
            </button>
          ))}
        </fieldset>
      </Head>
      <NoParameters />
      {loadFault.value !== undefined && shown === undefined && <FaultBox fault={loadFault.value} />}
      {shown === undefined && loadFault.value === undefined && <Loading lines={6} />}
      {shown !== undefined && (
        <div class={`live${isStale.value && paused === undefined ? ' lost' : ''}`}>
          <StateStrip load={shown} />
          <Body shown={shown} minutes={minutes} />
        </div>
      )}
    </>
  );
}

function Body({shown, minutes}: {readonly shown: Load; readonly minutes: Minutes}) {
  const points = pointsOf(shown.rows, minutes);
  return (
    <>
      <LiveTiles load={shown} points={points} minutes={minutes} />
      <LiveCharts load={shown} points={points} />
      <div class="row">
        <Partitions load={shown} />
        <Memory state={shown.state} />
      </div>
      <Members state={shown.state} />
    </>
  );
}

/** Age of the numbers on the page. */
function Heard({paused}: {readonly paused: Paused | undefined}) {
  if (paused !== undefined) {
    const seconds = Math.floor((now.value - paused.sinceMs) / 1_000);
    return (
      <span class="freshness">
        <span class="dot off" />
        {`Paused at ${clockText(paused.load.state.at / 1_000)} UTC, ${duration(Math.max(1, seconds))} old`}
      </span>
    );
  }
  if (heardMs.value === 0) return null;
  const seconds = Math.max(0, Math.floor((now.value - heardMs.value) / 1_000));
  if (isStale.value) {
    return (
      <span class="freshness lost-note" role="status">
        <span class="dot warn" />
        {`Last heard ${duration(seconds)} ago, trying again`}
      </span>
    );
  }
  const every = lookEverySeconds.value;
  const words = every === 1 ? 'every second' : `asks every ${every} s`;
  return (
    <span class="freshness">
      <span class={streamState.value === 'open' ? 'dot' : 'dot off'} />
      {`${seconds === 0 ? 'now' : `${duration(seconds)} ago`}, ${words}`}
    </span>
  );
}

function CopyState({shown}: {readonly shown: Load | undefined}) {
  const [words, setWords] = useState('Copy state');
  const copy = async (): Promise<void> => {
    const isCopied = shown !== undefined && (await copyText(stateText(shown)));
    setWords(isCopied ? 'Copied' : 'Could not copy');
    setTimeout(() => setWords('Copy state'), 2_000);
  };
  return (
    <button type="button" class="button" disabled={shown === undefined} onClick={() => void copy()}>
      <Icon name={words === 'Copied' ? 'Check' : 'Copy'} />
      <span aria-live="polite">{words}</span>
    </button>
  );
}
