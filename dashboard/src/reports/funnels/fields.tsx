// The fields of Funnels: the steps, and the rules of their paths.
import type {FieldsProps} from '../report';
import type {FunnelDraft} from './funnel-question';
import {RulesForm} from './rules-form';
import {StepsForm} from './steps-form';

export const Fields = (props: FieldsProps<FunnelDraft>) => (
  <>
    <StepsForm steps={props.question.steps} days={props.days} onSteps={(steps) => props.onChange({steps})} />
    <RulesForm {...props} />
  </>
);
