// The numbers of a chart over time as a table: every chart has one, and few people open it.
import {later} from '../shell/later';
import {Loading} from '../shell/states';
import type {TimeTableProps} from './time-table-rows';

export const TimeTable = later<TimeTableProps>(
  () => import('./time-table-rows').then(({TimeTableRows}) => TimeTableRows),
  <Loading lines={6} />,
);
