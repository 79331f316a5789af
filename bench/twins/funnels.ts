// Funnels: over postings, by a kernel, and kept.

import {type AllocatePostings, plainMemory} from '../../actors/report/funnel/user-postings.js';
import {ofService} from '../../src/asks/asker.js';
import {PostingsIndex} from '../../src/report/derived/postings-index.js';
import {kernelMemory, memoryWithProgress} from '../../src/report/kernels/funnel-kernel.js';
import {AnswerCache} from '../../src/report/published/answer-cache.js';
import type {FastPaths} from '../../src/report/reading.js';
import {PlainFunnelProgress} from '../../test/twins/funnel-progress.js';
import {funnelOf14, wholeRange} from '../engine/questions.js';
import {dayMs} from '../workload/events.js';
import {funnelSteps} from '../workload/expected.js';
import type {Ground} from './ground.js';
import type {Twins, Way} from './twin.js';

export class FunnelTwins {
  constructor(private readonly ground: Ground) {}

  async twins(): Promise<Twins[]> {
    const one = await this.postings(this.ground.isSmall ? memoryWithProgress : kernelMemory);
    const plain = await this.postings(plainMemory);
    const windowMs = dayMs;
    const progress = new PlainFunnelProgress();
    const ways = (steps: readonly string[], a?: PostingsIndex, b?: PostingsIndex, window?: {windowMs: number}) =>
      [a, b].map(
        (index): Way =>
          (number) =>
            this.ground.evaluate(
              {
                report: 'funnel',
                steps: steps.map((event) => ({event})),
                ...window,
                ...wholeRange(this.ground.workload, number),
              },
              this.ground.cache,
              {postings: index, ...(index === plain ? {progress} : {})},
            ),
      ) as unknown as readonly [Way, Way];
    const postings = this.newIndex();
    const isMobile = [{property: 'device', op: 'eq', values: ['mobile']}] as const;
    const chosenBy =
      (paths: FastPaths): Way =>
      (number) => {
        const query = {
          report: 'funnel',
          steps: funnelSteps.map((event, step) => ({event, where: step === 1 ? isMobile : []})),
          ...wholeRange(this.ground.workload, number),
        } as const;
        return this.ground.evaluate(query, this.ground.cache, paths);
      };
    for (let number = 0; number < 2; number++) await chosenBy({postings})(number);
    await postings.settled(); // T1
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
        quick: 'funnel of 3 with a condition: postings of chosen events',
        plain: 'funnel of 3 with a condition: users walked',
        ways: [chosenBy({postings}), chosenBy({})],
        asks: 3,
      },
      {
        quick: 'funnel of 3 again: answer kept',
        plain: 'funnel of 3 again: computed',
        ways: [() => kept.get('asked before', ofService, () => ({work: () => computed(0)})), () => computed(0)],
        asks: 9,
      },
    ];
  }

  /** With all its postings. T1 (ground.ts) */
  private async postings(allocate: AllocatePostings): Promise<PostingsIndex> {
    const index = this.newIndex(allocate);
    const query = {
      report: 'funnel',
      steps: funnelOf14.map((event) => ({event})),
      ...wholeRange(this.ground.workload, 0),
    } as const;
    for (let asks = 0; asks < 2; asks++) await this.ground.evaluate(query, this.ground.cache, {postings: index});
    await index.settled();
    return index;
  }

  private newIndex(allocate?: AllocatePostings): PostingsIndex {
    return new PostingsIndex(this.ground.cache, this.ground.derived(), this.ground.snapshots.length, allocate);
  }
}
