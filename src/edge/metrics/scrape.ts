// GET /metrics as text: our families, and the usual ones of the process (`process_*`, `nodejs_*`) from prom-client.
//   S1. Scrapes that come together, or within a second, get one text: the route is open to all, and asking every role
//       costs a millisecond or two.
//   S2. The text is made family by family, and whatever else the edge has to do has its turns between: in one go it would
//       take 3 ms, on top of what its turn takes anyway.
//   prom-client's own counters cost 270 ns and its histograms 360 ns at every use, which is why the hot path counts in
//   traffic.ts and only the text is made here.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {collectDefaultMetrics, type Metric, Registry} from 'prom-client';
import {monotonicMs} from '../../clock.js';
import {SharedAnswer} from '../http/shared-answer.js';
import {type Family, families} from './families.js';
import {gatherView, type View, type ViewSources} from './view.js';

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

const keptMs = 1_000;
/** S2 */
const sliceMsMax = 0.3;
// Half of the wake-ups of its default.
const loopResolutionMs = 20;

export class Scrape {
  private readonly sources: ViewSources;
  private readonly registry = new Registry();
  private view: View | undefined;
  private readonly shared = new SharedAnswer(keptMs, monotonicMs, () => this.make());

  constructor(sources: ViewSources) {
    this.sources = sources;
    collectDefaultMetrics({register: this.registry, eventLoopMonitoringPrecision: loopResolutionMs});
    for (const family of families) this.registry.registerMetric(this.asMetric(family));
  }

  /** S1. Never rejects for what is silent (view.ts, W1). */
  text(): Promise<string> {
    return this.shared.get();
  }

  /** As `registry.metrics()` has it. S2 */
  private async make(): Promise<string> {
    this.view = await gatherView(this.sources);
    const texts: string[] = [];
    let sliceEndMs = monotonicMs() + sliceMsMax;
    for (const {name} of this.registry.getMetricsAsArray()) {
      texts.push(await this.registry.getSingleMetricAsString(name));
      if (monotonicMs() < sliceEndMs) continue;
      await nextTurn();
      sliceEndMs = monotonicMs() + sliceMsMax;
    }
    return `${texts.join('\n\n')}\n`;
  }

  /** All that the registry asks of a metric is its name and what `get` gives; its type names its own classes alone. */
  private asMetric({name, type, help, read}: Family): Metric {
    const get = async () => ({name, type, help, values: this.view === undefined ? [] : read(this.view)});
    return {name, get} as unknown as Metric;
  }
}
