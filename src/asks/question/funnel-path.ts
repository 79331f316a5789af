// The paths that a question for a funnel means.
import {windowMsOf} from '../../conversion-window.js';
import type {FunnelPath} from '../funnels.js';
import type {FollowedQuestion} from './funnel.js';
import {conditionsOf} from './members.js';

export const funnelPathOf = ({
  steps,
  order,
  window,
  where,
  exclude = [],
}: Omit<FollowedQuestion, 'report'>): FunnelPath => ({
  steps: steps.map((step) => ({event: step.event, where: conditionsOf(step.where)})),
  order,
  windowMs: window === undefined ? undefined : windowMsOf(window),
  where: conditionsOf(where),
  exclusions: exclude.map(({event, where: own, between: [first, last] = [1, steps.length]}) => ({
    event,
    where: conditionsOf(own),
    afterStep: first - 1,
    beforeStep: last - 1,
  })),
});
