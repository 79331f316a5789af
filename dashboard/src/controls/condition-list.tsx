// Conditions as a list that is edited: its script comes after the page.
import {later} from '../shell/later';
import type {ConditionListProps} from './condition-rows';

export const ConditionList = later<ConditionListProps>(() =>
  import('./condition-rows').then(({ConditionRows}) => ConditionRows),
);
