// GET /metrics as text.
//   S1. Scrapes within a second share one text: the route needs no key, and asking every role costs a millisecond or two.
//   S2. The text is made family by family, and the event loop runs other work in between: at once it would take 3 ms.
//   A counter of prom-client costs 270 ns per use and a histogram 360 ns: the hot path counts in plain numbers (traffic.ts).
import {setImmediate as nextTurn} from 'node:timers/promises';
import {monotonicMs} from '../../clock.js';
import {SharedAnswer} from '../http/shared-answer.js';
import {families} from './families.js';
import {familyText} from './family-text.js';
import type {ProcessVitals} from './process-vitals.js';
import {gatherView, type ViewSources} from './view.js';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

const keptMs = 1_000;
/** S2 */
const sliceMsMax = 0.3;

export class Scrape {
  private readonly shared = new SharedAnswer(keptMs, monotonicMs, () => this.make());

  constructor(
    private readonly sources: ViewSources,
    private readonly processVitals: ProcessVitals,
  ) {}

  /** Never rejects for a role that does not answer (view.ts, W1). S1 */
  text(): Promise<string> {
    return this.shared.get();
  }

  private async make(): Promise<string> {
    const view = await gatherView(this.sources, this.processVitals);
    const texts: string[] = [];
    let sliceEndMs = monotonicMs() + sliceMsMax;
    for (const family of families) {
      texts.push(familyText(family, family.read(view)));
      if (monotonicMs() < sliceEndMs) continue;
      await nextTurn(); // S2
      sliceEndMs = monotonicMs() + sliceMsMax;
    }
    return `${texts.join('\n\n')}\n`;
  }
}
