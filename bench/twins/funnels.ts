// Funnels: over postings, by a kernel, by two threads, and kept.

import {setTimeout as pause} from 'node:timers/promises';
import {FunnelIndex} from '../../src/report/funnel/funnel-index.js';
import type {JointWalk, SecondWalkerOptions} from '../../src/report/funnel/second-walker.js';
import {AnswerCache} from '../../src/report/published/answer-cache.js';
import type {Say} from '../bench.js';
import {funnelOf14, funnelOf14Frequent, wholeRange} from '../engine/questions.js';
import type {Owned} from '../owned.js';
import {dayMs} from '../workload/events.js';
import {funnelSteps} from '../workload/expected.js';
import type {Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

/** What two threads take depends on where the scheduler puts them. */
const longAsks = 21;
const threadPolls = 500;
const threadPollMs = 10;

/** Counts the funnels that two threads walked. */
class WatchedFunnelIndex extends FunnelIndex {
  jointWalks = 0;

  override join(...walk: Parameters<FunnelIndex['join']>): JointWalk | undefined {
    const joint = super.join(...walk);
    if (joint !== undefined) this.jointWalks += 1;
    return joint;
  }
}

export class FunnelTwins {
  constructor(private readonly ground: Ground) {}

  async twins(owned: Owned, say: Say): Promise<Twins[]> {
    const alone = {lookupsMin: Number.POSITIVE_INFINITY};
    const [both, one] = [await this.funnelIndex(owned, {}), await this.funnelIndex(owned, alone)];
    const plain = await this.funnelIndex(owned, {...alone, kernelBytesMin: Number.POSITIVE_INFINITY});
    const windowMs = dayMs;
    const ways = (steps: readonly string[], a?: FunnelIndex, b?: FunnelIndex, window?: {windowMs: number}) =>
      [a, b].map(
        (index): Way =>
          (number) =>
            this.ground.evaluate(
              {report: 'funnel', steps, ...window, ...wholeRange(this.ground.workload, number)},
              this.ground.cache,
              {funnels: index},
            ),
      ) as unknown as readonly [Way, Way];
    await this.untilJoint(both, ways(funnelOf14, both, both)[0], say);
    const kept = new AnswerCache(2 ** 20);
    const [computed] = ways(funnelSteps, one, one);
    return [
      {
        quick: 'funnel of 3: postings',
        plain: 'funnel of 3: rows scanned',
        ways: ways(funnelSteps, one, undefined),
        asks: 3,
      },
      {
        quick: 'funnel of 3 within a day: postings',
        plain: 'funnel of 3 within a day: rows scanned',
        ways: ways(funnelSteps, one, undefined, {windowMs}),
        asks: 3,
      },
      {
        quick: 'funnel of 3 within a day: steps by the kernel',
        plain: 'funnel of 3 within a day: steps by its plain twin',
        ways: ways(funnelSteps, one, plain, {windowMs}),
        asks: 5,
      },
      {
        quick: 'funnel of 14: steps by the kernel',
        plain: 'funnel of 14: steps by its plain twin',
        ways: ways(funnelOf14, one, plain),
        asks: 5,
      },
      {
        quick: 'funnel of 14: two threads',
        plain: 'funnel of 14: one thread',
        ways: ways(funnelOf14, both, one),
        asks: longAsks,
      },
      {
        quick: 'funnel of 14, frequent events: two threads',
        plain: 'funnel of 14, frequent events: one thread',
        ways: ways(funnelOf14Frequent, both, one),
        asks: longAsks,
      },
      {
        quick: 'funnel of 3 again: answer kept',
        plain: 'funnel of 3 again: computed',
        ways: [() => kept.get('asked before', () => computed(0)), () => computed(0)],
        asks: 9,
      },
    ];
  }

  /** With all its postings. T1 (ground.ts) */
  private async funnelIndex(owned: Owned, walker: SecondWalkerOptions & {readonly kernelBytesMin?: number}) {
    const small = this.ground.isSmall ? {lookupsMin: 1, kernelBytesMin: 1} : {};
    const options = {...small, ...walker};
    const index = new WatchedFunnelIndex(this.ground.cache, this.ground.logger, undefined, this.ground.lists, options);
    owned.add({stop: () => index.forget()});
    const query = {report: 'funnel', steps: funnelOf14, ...wholeRange(this.ground.workload, 0)} as const;
    await this.ground.evaluate(query, this.ground.cache, {funnels: index});
    await index.settled();
    return index;
  }

  /** T1 (ground.ts) */
  private async untilJoint(index: WatchedFunnelIndex, ask: Way, say: Say): Promise<void> {
    for (let poll = 0; index.jointWalks === 0; poll++) {
      if (poll === threadPolls) throw new Error('no second thread walks along');
      await ask(0);
      await pause(threadPollMs);
    }
    say('two threads walk');
  }
}
