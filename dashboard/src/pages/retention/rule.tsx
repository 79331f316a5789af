// How the cells of the page's question are counted.
import type {RetentionQuestion} from '../../address/engagement-address';
import type {Interval} from '../../address/range';
import {retentionRule} from '../../explained/retention';

export interface RuleProps {
  readonly question: RetentionQuestion;
  readonly interval: Interval;
}

export function Rule({question, interval}: RuleProps) {
  return <>{retentionRule(question, question.start!, interval)}</>;
}
