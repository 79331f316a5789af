// The fields of Funnels: the steps, and the rules of their paths.
import {type FunnelQuestion, stepsOf, withSteps} from '../../address/funnel-address';
import type {FieldsProps} from '../report';
import {RulesForm} from './rules-form';
import {StepsForm} from './steps-form';

export const Fields = (props: FieldsProps<FunnelQuestion>) => (
  <>
    <StepsForm
      steps={stepsOf(props.question)}
      days={props.days}
      onSteps={(steps) => props.onChange(withSteps(steps))}
    />
    <RulesForm {...props} />
  </>
);
