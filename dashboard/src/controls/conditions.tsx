// The editor of conditions, loaded after the page: its pickers are half as heavy as a page.
import type {ComponentProps} from 'preact';
import {later} from '../shell/later';
import type {ConditionList} from './condition-list';

export const Conditions = later<ComponentProps<typeof ConditionList>>(() =>
  import('./condition-list').then(({ConditionList: Part}) => Part),
);
